// Asks a server on this machine how it is: `node health-check.mjs URL`. Exit code 0 for 200, otherwise 1.
import { get as getPlain } from 'node:http';
import { get as getSecurely } from 'node:https';

/** Milliseconds. */
const answerMs = 4000;

const [url = ''] = process.argv.slice(2);
const get = url.startsWith('https:') ? getSecurely : getPlain;
// The certificate names the server as clients call it, which is not 127.0.0.1.
const request = get(url, { agent: false, rejectUnauthorized: false, timeout: answerMs }, (response) => {
  response.resume();
  end(response.statusCode === 200, `${url} answers ${response.statusCode}`);
});
request.on('timeout', () => end(false, `${url} does not answer`));
request.on('error', (error) => end(false, `${url} cannot be reached: ${error.message}`));

function end(isHealthy, text) {
  if (!isHealthy) process.stderr.write(`${text}\n`);
  process.exit(isHealthy ? 0 : 1);
}
