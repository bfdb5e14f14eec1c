"""A plugin of pytest that gives ctest the status of a test that was skipped, 77, if no test of a run ran to its end
and some were skipped. It prints the reason as tools/check looks for it."""
import pytest

SKIPPED = 77


def skipped_reports(reporter, exitstatus):
    """Returns the reports of skipped tests if all tests of the run were skipped, else nothing."""
    if exitstatus != pytest.ExitCode.OK or reporter.stats.get("passed"):
        return []
    return reporter.stats.get("skipped", [])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    if skipped_reports(session.config.pluginmanager.get_plugin("terminalreporter"), exitstatus):
        session.exitstatus = SKIPPED


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, exitstatus):
    for report in skipped_reports(terminalreporter, exitstatus)[:1]:
        reason = report.longrepr[2].removeprefix("Skipped: ").removeprefix("skipped: ")
        terminalreporter.write_line(f"skipped: {reason}")
