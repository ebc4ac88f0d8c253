"""Runs commands of the AWS CLI, without starting it for each. Reads calls as lines of JSON and answers each with a line."""

import contextlib
import io
import json
import sys

from awscli.clidriver import create_clidriver

driver = create_clidriver()


def run(arguments):
    """As the program `aws` does, with what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = driver.main(arguments)
        except SystemExit as end:
            code = end.code
    return {'code': code, 'stdout': out.getvalue(), 'stderr': err.getvalue()}


for line in iter(sys.stdin.readline, ''):
    call = json.loads(line)
    print(json.dumps({'id': call['id'], 'value': run(call['args'])}), flush=True)
