import { useEffect, useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { canPush, ownId, pushToBrowser, pushNoMore } from '../../client/push.ts';
import { Button } from '../../part/control/button.tsx';
import { Check } from '../../part/control/field.tsx';
import { Failed, RefusedNote } from '../../part/control/loaded.tsx';
import { Moment } from '../../part/value/time.tsx';
import { shellWords } from '../../word/shell.ts';

/** Whether alarms are pushed to this browser, and to which others of the person. */
export function PushChoice() {
  const w = shellWords().push;
  const asked = useAsk('GET /data/notify/push/get', {});
  const [own, setOwn] = useState<string | null>(null);
  const [isRefused, setRefused] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const remove = useAct('POST /data/notify/push/unsubscribe', asked.again);
  const browsers = asked.data?.browsers ?? [];
  useEffect(() => void ownId().then(setOwn), [asked.data]);
  if (asked.data === null) return null;
  const { publicKey, policies } = asked.data;
  const isOn = browsers.some(({ id }) => id === own);
  const turn = async (on: boolean): Promise<void> => {
    setFailure(null);
    try {
      setRefused(on ? !(await pushToBrowser(publicKey)) : (await pushNoMore(), false));
    } catch (error) {
      setFailure(failureOf(error));
    }
    asked.again();
  };
  return (
    <>
      {canPush() ? (
        <Check label={w.label} hint={w.means} value={isOn} onChange={(on) => void turn(on)} />
      ) : (
        <p class="quiet">{w.https}</p>
      )}
      {isRefused && <p role="alert">{w.refused}</p>}
      {failure && <Failed failure={failure} />}
      {browsers.length > 0 && (
        <>
          <p class="quiet">{policies === 0 ? w.noPolicy : w.policies(policies)}</p>
          <ul class="list" aria-label={w.browsers}>
            {browsers.map(({ id, browserName, since }) => (
              <li key={id}>
                <div class="row">
                  <bdi>{browserName}</bdi>
                  <Moment at={since} />
                  {id !== own && (
                    <div class="actions">
                      <Button
                        label={`${w.remove} ${browserName}`}
                        onPress={() => void remove.run({ browser: id })}
                      >
                        {w.remove}
                      </Button>
                    </div>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      <RefusedNote failure={remove.failure} />
    </>
  );
}
