import { useAct, useAsk } from '../../client/ask.ts';
import { ticking } from '../../client/clock.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Page } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Moment } from '../../part/value/time.tsx';
import { maintenanceWords } from '../../word/maintenance.ts';
import { PlanForm } from './maintenance-form.tsx';

type Maintenance = Schemas['Maintenance'];
type Given = { row: Maintenance; again(): void };

const SIZE = 20;

/** `/maintenance`: what is worked on, what is planned, and what was. */
export function Maintenance() {
  const w = maintenanceWords();
  const asked = useAsk('POST /data/maintenance/list', { page: pageIn('page', SIZE) });
  return (
    <Page
      actions={
        may('svc-center-data:maintenance:add') && (
          <Opener word={w.plan}>
            {(close) => <PlanForm again={asked.again} onClose={close} />}
          </Opener>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      <List asked={asked} page="page" none={<Empty title={w.none} />} tall>
        {(row) => <Row key={row.id} row={row} again={asked.again} />}
      </List>
    </Page>
  );
}

function Row({ row, again }: Given) {
  const w = maintenanceWords();
  const now = ticking.value;
  const isPast = Date.parse(row.endTime) <= now;
  const isPlanned = Date.parse(row.beginTime) > now;
  const count = row.entityIds.length;
  return (
    <li>
      <div class="row">
        <Chip
          tone={isPast || isPlanned ? 'idle' : 'warning'}
          shape="bar"
          word={isPast ? w.past : isPlanned ? w.planned : w.running}
        />
        <bdi class="strong">{row.maintenanceName}</bdi>
        <div class="actions">
          {!isPast && may('svc-center-data:maintenance:update') && (
            <>
              <Opener word={w.extend} label={`${w.extend} ${row.maintenanceName}`}>
                {(close) => <Extend row={row} again={again} onClose={close} />}
              </Opener>
              {!isPlanned && <Stop row={row} again={again} />}
            </>
          )}
          {isPlanned && may('svc-center-data:maintenance:delete') && (
            <Remove row={row} again={again} />
          )}
        </div>
      </div>
      <p>
        <Moment at={row.beginTime} /> – <Moment at={row.endTime} />
      </p>
      <small class="quiet">
        {w.scopes[row.scopeFlag]}
        {count > 1 && ` (${w.count(count)})`} · {w.mode}: {w.modes[row.modeFlag]} ·{' '}
        <bdi>{row.owner}</bdi>
        {row.reason !== '' && (
          <>
            {' · '}
            <bdi>{row.reason}</bdi>
          </>
        )}
      </small>
    </li>
  );
}

function Extend({ row, again, onClose }: Given & { onClose(): void }) {
  const w = maintenanceWords();
  const form = useForm('POST /data/maintenance/update', {
    fields: { endTime: '' },
    needs: ['endTime'],
    input: ({ endTime }) => ({ id: row.id, endTime: new Date(endTime).toISOString() }),
    done() {
      announce(w.saved);
      onClose();
    },
    ended: again,
  });
  return (
    <FormDialog title={w.extend} {...form.sends} onClose={onClose}>
      <p>
        <bdi class="strong">{row.maintenanceName}</bdi> {w.until} <Moment at={row.endTime} />
      </p>
      <TextField label={w.ends} type="datetime-local" {...form.of('endTime')} required />
    </FormDialog>
  );
}

function Stop({ row, again }: Given) {
  const w = maintenanceWords();
  const act = useAct('POST /data/maintenance/end', again);
  return (
    <AskButton
      word={w.stop}
      label={`${w.stop} ${row.maintenanceName}`}
      title={row.maintenanceName}
      act={act}
      run={() => act.run({ id: row.id })}
      done={() => announce(w.saved)}
    >
      <p>{w.stopText}</p>
    </AskButton>
  );
}

function Remove({ row, again }: Given) {
  const w = maintenanceWords();
  const act = useAct('POST /data/maintenance/delete', again);
  return (
    <AskButton
      word={w.remove}
      label={`${w.remove} ${row.maintenanceName}`}
      title={row.maintenanceName}
      act={act}
      run={() => act.run({ id: row.id })}
      done={() => announce(w.saved)}
    >
      <p>{w.removeText}</p>
    </AskButton>
  );
}
