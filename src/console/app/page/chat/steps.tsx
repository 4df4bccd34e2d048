import { Facts } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { lengthOf } from '../../part/value/time.tsx';
import { chatWords } from '../../word/chat.ts';
import type { Step } from './turn.ts';

/** What tools did for an answer, one line each; opened, what they were asked and said. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ul class="steps">
      {steps.map((step) => (
        <li key={step.callId}>
          <One step={step} />
        </li>
      ))}
    </ul>
  );
}

function One({ step }: { step: Step }) {
  const { name, title, args, result, status, durationMs } = step;
  const w = chatWords();
  const facts = w.toolFacts;
  return (
    <details>
      <summary>
        <bdi>{title === '' ? name : title}</bdi>
        <Chip {...stateOf(status)} />
        <bdi class="quiet small result">{inShort(step)}</bdi>
      </summary>
      <Facts
        of={[
          [facts.name, <bdi>{name}</bdi>],
          [facts.took, durationMs !== null && tookOf(durationMs)],
        ]}
      />
      <dl class="stack">
        {[[facts.args, args] as const, [facts.result, result] as const].map(
          ([term, text]) =>
            text !== '' && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>
                  <code>{text}</code>
                </dd>
              </div>
            ),
        )}
      </dl>
      {(args + result).includes(CUT) && <small class="quiet">{w.inShort}</small>}
    </details>
  );
}

const ERROR = /^\{"error":("(?:[^"\\]|\\.)*")/;
const CUT = '…';
const TOTAL = /"total":(\d+)/;
const PROPOSED = '{"pendingConfirmation":true';

/** A line of what a tool said: why it failed, how many it found; nothing of what is drawn below. */
function inShort({ result, plots }: Step): string {
  if (plots.length > 0) return '';
  const [, error] = ERROR.exec(result) ?? [];
  if (error !== undefined) return String(JSON.parse(error));
  const [, total] = TOTAL.exec(result) ?? [];
  if (total !== undefined) return chatWords().found(Number(total));
  return result.startsWith(PROPOSED) ? '' : result;
}

const STATES = {
  running: { tone: 'info', shape: 'half' },
  success: { tone: 'good', shape: 'check' },
  failed: { tone: 'danger', shape: 'cross' },
} as const;

const stateOf = (status: Step['status']): State => ({
  ...STATES[status],
  word: chatWords().tool[status],
});

const tookOf = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : lengthOf(ms / 1_000));
