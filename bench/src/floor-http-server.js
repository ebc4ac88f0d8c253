// The floor of a request: `node:http` and nothing else. Reads each request to its end and answers a fixed body.
// Plain JavaScript, so that its start-up is that of Node alone.   node floor-http-server.js [BODY_FILE]
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const body = process.argv[2] === undefined ? Buffer.from('{}') : readFileSync(process.argv[2]);
const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': body.length };

const server = createServer((request, response) => {
  request.on('end', () => {
    response.writeHead(200, headers);
    response.end(body);
  });
  request.resume();
});
server.listen(0, '127.0.0.1', () => console.log(`ready on http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
