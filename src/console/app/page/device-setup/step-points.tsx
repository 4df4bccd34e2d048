import { Empty, Loaded, Skeleton } from '../../part/control/loaded.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { AttributeField } from './attribute-field.tsx';
import { change, draft } from './draft.ts';
import { pointValue, useAlike, usePlannedPoints, usePointAttributes } from './facts.ts';

/** Where each point is on this device. */
export function PointsStep() {
  const w = newDeviceWords().points;
  const { driverId, ofPoints } = draft.value;
  const attributes = usePointAttributes(driverId);
  const { points } = usePlannedPoints();
  const alike = useAlike();
  return (
    <Loaded asked={attributes} rows={6}>
      {(all) =>
        !alike.isKnown ? (
          <Skeleton rows={6} />
        ) : all.length === 0 || points?.length === 0 ? (
          <Empty title={w.none} />
        ) : (
          <>
            {alike.device !== null && (
              <p>
                {w.alike} <bdi class="strong">{alike.device.deviceName}</bdi>
              </p>
            )}
            {points?.map(({ key, name }) => (
              <fieldset key={key} class="panel">
                <legend>
                  <bdi>{name}</bdi>
                </legend>
                <div class="fields">
                  {all.map((attribute) => (
                    <AttributeField
                      key={attribute.id}
                      attribute={attribute}
                      value={pointValue(key, attribute, alike.configs)}
                      onChange={(value) =>
                        change({
                          ofPoints: {
                            ...ofPoints,
                            [key]: { ...ofPoints[key], [attribute.attributeCode]: value },
                          },
                        })
                      }
                    />
                  ))}
                </div>
              </fieldset>
            ))}
          </>
        )
      }
    </Loaded>
  );
}
