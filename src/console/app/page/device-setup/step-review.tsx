import { useState } from 'preact/hooks';

import { type Failure, failureOf } from '../../client/failure.ts';
import { navigate } from '../../client/route.ts';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote, Skeleton } from '../../part/control/loaded.tsx';
import { Chip, Note } from '../../part/value/mark.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { settingWords } from '../../word/setting.ts';
import { made, startAgain } from './draft.ts';
import { make, type Part, usePlan } from './plan.ts';

/** What will be made. What was made before a refusal stays, and a second press goes on after it. */
export function ReviewStep() {
  const w = newDeviceWords().review;
  const plan = usePlan();
  const [isRunning, setRunning] = useState(false);
  const [refused, setRefused] = useState<{ name: string; failure: Failure } | null>(null);
  if (plan === null) return <Skeleton rows={6} />;
  const { parts, wrong } = plan;
  const go = async (): Promise<void> => {
    setRunning(true);
    setRefused(null);
    for (const part of parts) {
      try {
        await make(part);
      } catch (error) {
        setRefused({ name: part.name, failure: failureOf(error) });
        setRunning(false);
        return;
      }
    }
    const deviceId = made.value['device']?.id ?? '';
    startAgain();
    navigate(`/devices/new?made=${deviceId}`, { replace: true });
  };
  const hasSome = Object.keys(made.value).length > 0;
  return (
    <>
      <ul class="list">
        {parts.map((part) => (
          <Planned key={part.name} part={part} isRefused={refused?.name === part.name} />
        ))}
      </ul>
      {wrong.length > 0 && (
        <Note tone="warning" shape="triangle">
          {settingWords().missing}
          <ul>
            {wrong.map(({ title, problem }) => (
              <li key={title}>
                <bdi class="strong">{title}</bdi> {problem}
              </li>
            ))}
          </ul>
        </Note>
      )}
      <RefusedNote failure={refused?.failure ?? null} />
      {refused && <p>{hasSome ? w.stays : w.nothing}</p>}
      <div class="row">
        <Button
          kind="primary"
          isBusy={isRunning}
          isOff={wrong.length > 0}
          onPress={() => void go()}
        >
          {hasSome ? w.goOn : w.go}
        </Button>
      </div>
    </>
  );
}

function Planned({ part, isRefused }: { part: Part; isRefused: boolean }) {
  const w = newDeviceWords().review;
  const { kind, title, text, name } = part;
  const isMade = made.value[name]?.text === text;
  return (
    <li>
      <div class="row">
        {isMade ? (
          <Chip tone="good" shape="check" word={w.made} />
        ) : isRefused ? (
          <Chip tone="danger" shape="cross" word={w.refused} />
        ) : (
          <Chip tone="idle" shape="ring" word={w.planned} />
        )}
        <span class="quiet">{w.kinds[kind]}</span>
        <bdi class="strong">{title}</bdi>
        {kind === 'config' && <bdi>{part.isHidden ? '••••' : text}</bdi>}
      </div>
    </li>
  );
}
