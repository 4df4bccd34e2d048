import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Table } from '../../part/control/table.tsx';
import { Section } from '../../part/page.tsx';
import { limitsOf } from '../../part/value/amount.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { partWords } from '../../word/part.ts';
import { profilesWords } from '../../word/profiles.ts';
import { PointForm } from './point-form.tsx';

type Given = { profileId: string; reach: number | null };

/** The points of a profile, and what can be done with each. */
export function ProfilePoints({ profileId, reach }: Given) {
  const w = profilesWords();
  const asked = useAsk(
    'GET /manager/point/list_by_profile_id',
    may('svc-center-manager:point:list') ? { profileId } : null,
  );
  if (!may('svc-center-manager:point:list')) return null;
  return (
    <Section
      title={w.points}
      actions={
        may('svc-center-manager:point:add') && (
          <Opener word={w.addPoint}>
            {(close) => (
              <PointForm
                profileId={profileId}
                point={null}
                reach={reach}
                changed={asked.again}
                onClose={close}
              />
            )}
          </Opener>
        )
      }
    >
      <Loaded asked={asked} rows={4} none={<Empty title={w.noPoints} />}>
        {(points) => (
          <Table
            label={w.points}
            columns={[
              [w.point.name],
              [w.point.type],
              [w.point.access],
              [w.point.limits],
              [w.point.scale],
              [<span class="hidden">{w.point.actions}</span>],
            ]}
          >
            {points.map((point) => (
              <Row key={point.id} point={point} reach={reach} changed={asked.again} />
            ))}
          </Table>
        )}
      </Loaded>
    </Section>
  );
}

type RowGiven = { point: Schemas['Point']; reach: number | null; changed(): void };

function Row({ point, reach, changed }: RowGiven) {
  const w = profilesWords();
  const { types, accesses } = newDeviceWords().point;
  const remove = useAct('POST /manager/point/delete');
  const { id, pointName, pointTypeFlag, rwFlag, unit, multiple, baseValue, profileId } = point;
  return (
    <tr>
      <th scope="row">
        <bdi>{pointName}</bdi>
        {unit !== '' && (
          <small class="unit">
            {' '}
            <bdi>{unit}</bdi>
          </small>
        )}{' '}
        <Disabled of={point} />
      </th>
      <td>{types[pointTypeFlag]}</td>
      <td>{accesses[rwFlag]}</td>
      <td>{limitsOf(point)}</td>
      <td class="tabular">
        {multiple === 1 && baseValue === 0 ? '–' : `× ${multiple} + ${baseValue}`}
      </td>
      <td>
        <div class="actions">
          {may('svc-center-manager:point:update') && (
            <Opener word={w.edit} kind="quiet" label={w.editOf(pointName)}>
              {(close) => (
                <PointForm
                  profileId={profileId}
                  point={point}
                  reach={reach}
                  changed={changed}
                  onClose={close}
                />
              )}
            </Opener>
          )}
          {may('svc-center-manager:point:delete') && (
            <AskButton
              kind="quiet"
              label={`${partWords().delete}: ${pointName}`}
              title={w.deletePoint(pointName)}
              act={remove}
              run={() => remove.run({ id })}
              done={() => {
                announce(w.gone(pointName));
                changed();
              }}
            >
              <p>{w.deletePointMeans}</p>
              {reach !== null && <p>{w.reaches(reach)}</p>}
            </AskButton>
          )}
        </div>
      </td>
    </tr>
  );
}
