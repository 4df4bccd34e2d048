import { writeFileSync } from 'node:fs';

import { type Summary, sentenceOf } from './counts.ts';
import { FlagError, type Flags, flagsOf, USAGE } from './flags.ts';
import { startFleet } from './fleet.ts';
import { endpointOf } from './identity.ts';
import { onboard } from './onboard.ts';
import { tableOf } from './table.ts';

const SUMMARY_MS = 10_000;

function given(): Flags {
  try {
    return flagsOf(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return process.exit(2);
  }
}

const flags = given();
const endpoints = Array.from({ length: flags.count }, (_, index) =>
  endpointOf(flags.prefix, flags.first + index),
);
const began = performance.now();

function say(what: string, facts: object, sentence: string): void {
  const atS = Math.round((performance.now() - began) / 1_000);
  console.log(
    flags.json ? JSON.stringify({ event: what, atS, ...facts }) : `${atS} s  ${sentence}`,
  );
}
const report = (what: string, summary: Summary): void => say(what, summary, sentenceOf(summary));

async function addDevices(): Promise<void> {
  const { platform, tenant } = flags;
  const { SVC_ADMIN_LOGIN: name = 'admin', SVC_ADMIN_PASSWORD: password } = process.env;
  if (password === undefined)
    throw new Error(`--onboard: the password of ${name} is missing in SVC_ADMIN_PASSWORD`);
  const { added, present } = await onboard(endpoints, { platform, tenant, name, password }, flags);
  say('onboarded', { added, present }, `${added} devices added, ${present} were there`);
}

async function run(): Promise<void> {
  if (flags.table !== null) {
    // Keys are in it.
    writeFileSync(flags.table, tableOf(endpoints, flags), { mode: 0o600 });
    return;
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isWanted = true;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // The second one does not wait for de-registrations.
      if (!isWanted) process.exit(1);
      isWanted = false;
      end();
    });
  if (flags.onboard) await addDevices();
  if (flags.forS !== null) setTimeout(end, flags.forS * 1_000);
  const fleet = await startFleet(endpoints, flags, () => isWanted);
  report('started', fleet.summary());
  const timer = setInterval(() => report('summary', fleet.summary()), SUMMARY_MS);
  await ended;
  isWanted = false;
  clearInterval(timer);
  await fleet.stop();
  report('ended', fleet.summary());
}

await run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : 'the devices cannot start');
  process.exitCode = 1;
});
process.exit();
