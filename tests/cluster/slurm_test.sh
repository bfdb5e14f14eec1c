#!/usr/bin/env bash
# Tests examples/cluster/search-array.sbatch in a Slurm cluster of one node. The script sets the
# cluster up and takes it down. Some jobs of the array are requeued while they run. The array and a
# merge that depends on it must make the report of one search.
#
# The test is run by hand, as root. It needs Debian's slurm-wlm and munge.
#
#   slurm_test.sh BUILD/bin
. "$(dirname "$0")/../support/checks.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
needs_programs munged slurmctld slurmd sbatch
[ "$(id -u)" -eq 0 ] || skip_test 'only root can set up a cluster'
cd "$work" || exit 1

port=$((20000 + $$ % 10000))
node=$(hostname -s)
mkdir -p state spool shared
dd if=/dev/urandom of=munge.key bs=1 count=1024 2>/dev/null
chmod 400 munge.key
chmod 755 "$work"
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" --log-file="$work/munge.log" \
    --seed-file="$work/munge.seed" || fail 'no munged'
cat >slurm.conf <<END
ClusterName=warpseq
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobRequeue=1
MinJobAge=300
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
end_cluster() {
    for daemon in slurmd slurmctld munge; do
        [ ! -e "$work/$daemon.pid" ] || kill "$(cat "$work/$daemon.pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$work"
}
trap end_cluster EXIT
slurmctld -f "$SLURM_CONF" -c || fail 'no slurmctld'
slurmd -f "$SLURM_CONF" -c -N "$node" || fail "no slurmd: $(tail -3 slurmd.log)"
for _ in $(seq 60); do
    sinfo -h -o %t 2>/dev/null | grep -q idle && break
    sleep 0.5
done
sinfo -h -o %t | grep -q idle || fail "no node is idle: $(sinfo; tail -3 slurmctld.log)"

awk "$random_awk"'BEGIN { start_random(3); letters = "ACDEFGHIKLMNPQRSTVWY"
    for (n = 1; n <= 6000; ++n) { printf ">p%d\n", n; for (i = 0; i < 250; ++i) printf "%s", substr(letters, 1 + int(random() * 20), 1); print "" } }' >db.fa
awk '/^>/ {++n} n % 4 == 0' db.fa >q.fa
runs 0 dbconv db.fa -o db.wsdb --quiet
search='sw -q q.fa -d db.wsdb --outfmt 6'
runs 0 search $search --quiet
cp .out whole

export PATH=$programs:$PATH
array=$(sbatch --parsable --array=0-5 "$root/examples/cluster/search-array.sbatch" 6 shared/parts $search) || fail 'no array'
merge=$(sbatch --parsable --dependency=afterok:$array --wrap 'warpseq search merge shared/parts -o merged' --output=merge.log) || fail 'no merge'
requeued=0
for _ in $(seq 3000); do
    [ -n "$(squeue -h -j "$merge" -o %T 2>/dev/null)" ] || break
    # Requeues some jobs, as preemption does. They begin again.
    running=$(squeue -h -j "$array" -t RUNNING -o %i 2>/dev/null | head -1)
    if [ -n "$running" ] && [ $requeued -lt 3 ]; then
        scontrol requeue "$running" 2>/dev/null && requeued=$((requeued + 1))
        # A requeued job would wait for a while before it begins.
        scontrol update JobId="$running" StartTime=now 2>/dev/null
    fi
    sleep 0.1
done
last_command="an array of 6 jobs, $requeued of them requeued, and a merge"
[ -e merged ] || fail "no report: $(squeue; cat merge.log search-array.sbatch.*.log 2>/dev/null)"
same whole merged
[ $requeued -gt 0 ] || fail 'no job was requeued'
echo "6 jobs, $requeued requeues, one report: the same bytes"
