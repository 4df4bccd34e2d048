import { useState } from 'preact/hooks';

import { useAsk } from '../client/ask.ts';
import { may } from '../client/session.ts';
import { useAgainOn, useEvery } from '../client/use-live.ts';
import { registeredWords } from '../word/registered.ts';
import { Button } from './control/button.tsx';
import { MakePoints } from './make-points.tsx';
import { Section } from './page.tsx';
import { nameOf, possibleIn, type Registered } from './registration.ts';
import { Ago } from './value/time.tsx';

const EVERY_MS = 5_000;
const MAKES = ['profile:add', 'point:add', 'point_attribute_config:add', 'device:update'] as const;

/** What a device registered at its driver, and points of it; nothing for one that registered nothing. */
export function RegisteredObjects({ deviceId, made }: { deviceId: string; made(): void }) {
  const w = registeredWords();
  const asked = useAsk(
    'GET /manager/device/registration/get_by_device_id',
    may('svc-center-manager:device:get') ? { deviceId } : null,
  );
  // Its driver tells what it registered a moment after it came.
  useAgainOn(['device'], asked.again);
  useEvery(EVERY_MS, asked.again);
  const [isMaking, setMaking] = useState(false);
  const { data } = asked;
  if (data === null || data.registerTime === null) return null;
  const mayMake = MAKES.every((right) => may(`svc-center-manager:${right}`));
  return (
    <Section
      title={w.title}
      actions={
        mayMake &&
        possibleIn(data).length > 0 && <Button onPress={() => setMaking(true)}>{w.make}</Button>
      }
    >
      <p>
        {w.lead(data.objects.length + data.leftOut)} <Ago at={data.registerTime} />
      </p>
      <ul class="list">
        {data.objects.map((object) => (
          <li key={`${object.objectId} ${object.instanceId}`}>
            <div class="row">
              <bdi class="strong">{nameOf(object)}</bdi>
              <span class="quiet tabular">
                /{object.objectId}
                {object.instanceId !== null && `/${object.instanceId}`}
              </span>
              <span class="quiet">{summaryOf(object)}</span>
            </div>
          </li>
        ))}
      </ul>
      {data.leftOut > 0 && <p class="quiet">{w.more(data.leftOut)}</p>}
      {isMaking && (
        <MakePoints
          deviceId={deviceId}
          said={data}
          onClose={() => setMaking(false)}
          made={() => {
            asked.again();
            made();
          }}
        />
      )}
    </Section>
  );
}

/** What of it is a point, or is suggested to be one. */
function summaryOf({ objectName, resources }: Registered['objects'][number]): string {
  const w = registeredWords();
  if (objectName === '') return w.unknown;
  const shown = resources.filter(({ suggested, pointIds }) => suggested || pointIds.length > 0);
  if (shown.length === 0) return '';
  return shown
    .map(
      ({ resourceName, pointIds }) =>
        `${resourceName} (${pointIds.length > 0 ? w.isPoint : w.suggested})`,
    )
    .join(', ');
}
