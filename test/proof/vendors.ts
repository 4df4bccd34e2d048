import { behavioursOf, dialects, meet } from '../support/runs/vendors/run.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

/** Vendors that do not behave as their dialect says; `vendors PATTERN` meets those of the rules whose names match it. */
export const vendors: Proof = async ({ print, only }) => {
  let failed = 0;
  const { lines, say } = linesOf(print);
  say(
    'Each behaviour is met by a client that streams and one that does not, with a second provider behind it.',
  );
  say(
    'What is right follows from the bytes: the whole answer (`answer`), the second provider’s where none came',
  );
  say(
    '(`fallback`), an error after half of one (`broken`), the vendor’s words where it refuses the request (`refused`);',
  );
  say('where no dialect says how to read them (`open`), anything but a blank or a half answer.');
  say('');
  say('| dialect | rule | behaviours | answer | fallback | broken | refused | open | wrong |');
  say('|---|---|---|---|---|---|---|---|---|');
  const details: string[] = [];
  for (const dialect of dialects) {
    const behaviours = behavioursOf(dialect).filter(({ rule }) => new RegExp(only).test(rule));
    const trials = await onEngine('embedded', (environment) =>
      meet(dialect, behaviours, { environment, remove: async () => {} }),
    );
    for (const [rule, own] of Map.groupBy(behaviours, (one) => one.rule)) {
      const count = (expected: string) => own.filter((one) => one.expected === expected).length;
      const wrong = trials.filter((one) => one.behaviour.rule === rule && one.wrong !== null);
      const counts = ['answer', 'fallback', 'broken', 'refused', 'open'].map(count);
      say(`| ${[dialect, rule, own.length, ...counts, wrong.length].join(' | ')} |`);
      for (const { behaviour, client, wrong: what } of wrong)
        details.push(`- ${dialect}, ${rule}, ${behaviour.name} (${client}): ${what}`);
      failed += wrong.length;
    }
    say(
      `| ${dialect} | **all** | ${behaviours.length} | | | | | | ${trials.filter(({ wrong }) => wrong !== null).length} |`,
    );
  }
  say('');
  for (const one of details) say(one);
  return { failed, report: lines };
};
