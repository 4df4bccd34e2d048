import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

import { anonymous } from './anonymous.ts';
import { approvals } from './approvals.ts';
import { argumentsSpelled } from './arguments.ts';
import { backtest } from './backtest.ts';
import { bodies } from './bodies.ts';
import { claims } from './claims.ts';
import { clients } from './clients.ts';
import { confirmation } from './confirmation.ts';
import { copies } from './copies.ts';
import { crash } from './crash.ts';
import { datagrams } from './datagrams.ts';
import { decisions } from './decisions.ts';
import { digest } from './digest.ts';
import { drill } from './drill.ts';
import { evaluation } from './eval.ts';
import { evaluations } from './evaluations.ts';
import { facts } from './facts.ts';
import { firmware } from './firmware.ts';
import { fleet } from './fleet.ts';
import { forged } from './forged.ts';
import { hangup } from './hangup.ts';
import { hostile } from './hostile.ts';
import { incidents } from './incidents.ts';
import { injections } from './injections.ts';
import { isolation } from './isolation.ts';
import { ledger } from './ledger.ts';
import { listeners } from './listeners.ts';
import { login } from './login.ts';
import { lying } from './lying.ts';
import { manuals } from './manuals.ts';
import { names } from './names.ts';
import { notify } from './notify.ts';
import { outage } from './outage.ts';
import { outcome } from './outcome.ts';
import type { Proof } from './proof.ts';
import { revocation } from './revocation.ts';
import { sentences } from './sentences.ts';
import { spec } from './spec.ts';
import { storm } from './storm.ts';
import { taint } from './taint.ts';
import { tiers } from './tiers.ts';
import { turns } from './turns.ts';
import { vendors } from './vendors.ts';

/** By the name given on the command line: `npm run prove -- NAME`; `spec PART` runs a part and keeps nothing. */
const proofs: Record<string, Proof> = {
  anonymous,
  approvals,
  arguments: argumentsSpelled,
  backtest,
  bodies,
  claims,
  clients,
  confirmation,
  copies,
  crash,
  datagrams,
  decisions,
  digest,
  drill,
  eval: evaluation,
  evaluations,
  facts,
  firmware,
  fleet,
  forged,
  hangup,
  hostile,
  incidents,
  injections,
  isolation,
  ledger,
  listeners,
  login,
  lying,
  manuals,
  names,
  notify,
  outage,
  outcome,
  revocation,
  sentences,
  spec,
  storm,
  taint,
  tiers,
  turns,
  vendors,
};

const [name = '', only = ''] = process.argv.slice(2);
const proof = proofs[name];
if (!proof) {
  console.error(`usage: npm run prove -- ${Object.keys(proofs).join(' | ')}`);
  process.exit(2);
}
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const startedAt = new Date();
const { failed, report } = await proof({ print: (line) => console.log(line), only });
const minutes = ((Date.now() - startedAt.getTime()) / 60_000).toFixed(1);
const head = [
  `# npm run prove -- ${name}`,
  '',
  `${startedAt.toISOString()} · commit ${commit} · Node ${process.version} · ${cpus().length} cores · ${minutes} min · ${failed} wrong`,
  '',
];
if (only === '') {
  const kept = fileURLToPath(new URL(`./${name}.md`, import.meta.url));
  writeFileSync(kept, [...head, ...report, ''].join('\n'));
  // A report is committed, and the check refuses an unformatted file.
  execFileSync('oxfmt', [kept]);
}
const where = only === '' ? `; see test/proof/${name}.md` : '';
console.log(`${failed === 0 ? 'proved' : `${failed} wrong`}${where}`);
process.exit(failed === 0 ? 0 : 1);
