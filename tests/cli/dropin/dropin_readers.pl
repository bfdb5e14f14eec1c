# What BioPerl's Bio::SearchIO reads in a report: queries, hits and HSPs, a line each.
#
#   dropin_readers.pl FORMAT FILE
use strict;
use warnings;
use Bio::SearchIO;

my ($format, $file) = @ARGV;
my $reports = Bio::SearchIO->new(-format => $format, -file => $file);
sub row { print join("\t", map { defined $_ ? $_ : '-' } @_), "\n" }
while (my $query = $reports->next_result) {
    row('query', $query->query_name, $query->query_length, $query->query_description);
    while (my $hit = $query->next_hit) {
        row('hit', $hit->name, $hit->description, $hit->significance, $hit->raw_score);
        while (my $hsp = $hit->next_hsp) {
            row('hsp', $hsp->score, $hsp->evalue, (map { $hsp->start($_), $hsp->end($_) } qw(query hit)), $hsp->query_string, $hsp->hit_string);
        }
    }
}
