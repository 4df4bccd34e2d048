import type { Operations } from '../../../client/operations.ts';
import { Chip } from '../../../part/value/mark.tsx';
import { modelsWords } from '../../../word/models.ts';

type Tried = Operations['POST /agentic/provider/config/check']['answer']['tries'][number];

/** What a model can, cannot, or has not shown; with the words of its vendor where it cannot. */
export function Tries({ tries }: { tries: readonly Tried[] }) {
  const w = modelsWords().tries;
  if (tries.length === 0) return null;
  return (
    <ul class="list" aria-label={w.title}>
      {tries.map(({ name, ok, reason, ms }) => (
        <li key={name} class="row">
          {ok === null ? (
            <Chip tone="idle" shape="ring" word={w.of[name]} />
          ) : ok ? (
            <Chip tone="good" shape="check" word={w.of[name]} />
          ) : (
            <Chip tone="danger" shape="cross" word={w.of[name]} />
          )}
          <span class="quiet">
            {ok === null ? w.unknown : ok ? w.can((ms / 1_000).toFixed(1)) : w.cannot}
          </span>
          {reason !== '' && <bdi lang="en">{reason}</bdi>}
        </li>
      ))}
    </ul>
  );
}
