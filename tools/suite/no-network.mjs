// For a child process of a test: a machine without a network, where no name is found.
import dns from 'node:dns';

/** @param {readonly unknown[]} asked */
function lookup(...asked) {
  const answer = asked.at(-1);
  if (typeof answer !== 'function') return;
  answer(Object.assign(new Error(`getaddrinfo ENOTFOUND ${asked[0]}`), { code: 'ENOTFOUND' }));
}
Object.assign(dns, { lookup });
