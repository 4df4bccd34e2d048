import { listenTo } from '../../support/people/listening.ts';

/** Opens as many streams as said with each token, says so and keeps them. */
const [base = '', streams = '', ...tokens] = process.argv.slice(2);
for (const token of tokens)
  for (let n = 0; n < Number(streams); n += 1) await listenTo(base, token, ['svc://alarm/active']);
console.log('open');
process.stdin.resume();
