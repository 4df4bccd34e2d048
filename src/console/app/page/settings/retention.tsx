import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Page, Section } from '../../part/page.tsx';
import { sizeOf } from '../../part/value/amount.tsx';
import { Moment } from '../../part/value/time.tsx';
import { retentionWords } from '../../word/retention.ts';
import { Imports } from './imports.tsx';
import { ClassForm, HoldForm, RECORDS } from './retention-form.tsx';

const SIZE = 20;

/** `/retention`: for how long values are kept, what is held, and how much is stored. */
export function Retention() {
  const w = retentionWords();
  const stored = useAsk('GET /data/retention_class/stored', {});
  return (
    <Page>
      <p class="quiet">{w.lead}</p>
      <Classes changed={stored.again} />
      <Holds changed={stored.again} />
      <Imports changed={stored.again} />
      <Section title={w.stored}>
        <Loaded asked={stored}>{(kept) => <Stored kept={kept} />}</Loaded>
      </Section>
    </Page>
  );
}

const countOf = (values: number): string => values.toLocaleString();

function Stored({ kept }: { kept: Schemas['StoredValues'] }) {
  const w = retentionWords();
  if (kept.values === 0) return <Empty title={w.none} />;
  return (
    <>
      <p>
        {w.total(countOf(kept.values), sizeOf(kept.bytes))}
        {kept.oldest !== null && (
          <>
            , {w.oldest} <Moment at={kept.oldest} />
          </>
        )}
      </p>
      {kept.nextTime !== null && (
        <p class="quiet">
          {w.deleted(countOf(kept.deleted))} {w.next}: <Moment at={kept.nextTime} />
        </p>
      )}
      <ul class="rows" aria-label={w.devices}>
        {kept.devices.map((device) => (
          <li key={device.deviceId}>
            <div class="row">
              <bdi class="strong">{device.deviceName === '' ? w.gone : device.deviceName}</bdi>
              <span class="tabular">{w.total(countOf(device.values), sizeOf(device.bytes))}</span>
              <small class="quiet">
                {device.keptFrom === null ? (
                  w.forEver
                ) : (
                  <>
                    {w.keptFrom} <Moment at={device.keptFrom} />
                  </>
                )}
              </small>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

type Changed = { changed(): void };

function Classes({ changed }: Changed) {
  const w = retentionWords();
  const asked = useAsk('POST /data/retention_class/list', { page: pageIn('page', SIZE) });
  const again = (): void => {
    asked.again();
    changed();
  };
  return (
    <Section
      title={w.classes}
      actions={
        may('svc-center-data:retention_class:add') && (
          <Opener word={w.add}>
            {(close) => <ClassForm of={null} changed={again} onClose={close} />}
          </Opener>
        )
      }
    >
      <List asked={asked} page="page" rows={2} none={<Empty title={w.noClass} />}>
        {(row) => <Class key={row.id} of={row} changed={again} />}
      </List>
    </Section>
  );
}

function Class({ of, changed }: Changed & { of: Schemas['RetentionClass'] }) {
  const w = retentionWords();
  const remove = useAct('POST /data/retention_class/delete', changed);
  return (
    <li>
      <div class="row">
        <bdi class="strong">{of.className}</bdi>
        <span>{of.valueDays === null ? w.forEver : w.keptDays(of.valueDays)}</span>
        <div class="actions">
          {may('svc-center-data:retention_class:update') && (
            <Opener word={w.edit} label={`${w.edit} ${of.className}`}>
              {(close) => <ClassForm of={of} changed={changed} onClose={close} />}
            </Opener>
          )}
          {may('svc-center-data:retention_class:delete') && (
            <AskButton
              label={`${w.remove} ${of.className}`}
              title={of.className}
              act={remove}
              run={() => remove.run({ id: of.id })}
              done={() => announce(w.saved)}
            >
              <p>{w.removeText}</p>
            </AskButton>
          )}
        </div>
      </div>
      <small class="quiet">
        {of.defaultFlag ? w.ofAll : w.profiles(of.profileIds.length)} · {w.begins}{' '}
        <Moment at={of.beginTime} />
        {RECORDS.map((name) => {
          const days = of[name];
          return days === null ? null : ` · ${w.recordsOf[name]}: ${w.keptDays(days)}`;
        })}
      </small>
    </li>
  );
}

function Holds({ changed }: Changed) {
  const w = retentionWords();
  const asked = useAsk('POST /data/retention_hold/list', { page: pageIn('holds', SIZE) });
  const again = (): void => {
    asked.again();
    changed();
  };
  return (
    <Section
      title={w.holds}
      actions={
        may('svc-center-data:retention_hold:add') && (
          <Opener word={w.addHold}>
            {(close) => <HoldForm changed={again} onClose={close} />}
          </Opener>
        )
      }
    >
      <p class="quiet">{w.holdLead}</p>
      <List asked={asked} page="holds" rows={2} none={<Empty title={w.noHold} />}>
        {(row) => <Hold key={row.id} of={row} changed={again} />}
      </List>
    </Section>
  );
}

function Hold({ of, changed }: Changed & { of: Schemas['RetentionHold'] }) {
  const w = retentionWords();
  const lift = useAct('POST /data/retention_hold/delete', changed);
  return (
    <li>
      <div class="row">
        <bdi class="strong">{of.holdName}</bdi>
        {may('svc-center-data:retention_hold:delete') && (
          <div class="actions">
            <AskButton
              word={w.lift}
              label={`${w.lift} ${of.holdName}`}
              title={of.holdName}
              act={lift}
              run={() => lift.run({ id: of.id })}
              done={() => announce(w.saved)}
            >
              <p>{w.liftText}</p>
            </AskButton>
          </div>
        )}
      </div>
      <small class="quiet">
        {of.deviceId === '0' ? w.allDevices : of.deviceId} ·{' '}
        {of.fromTime === null ? w.first : <Moment at={of.fromTime} />} –{' '}
        {of.toTime === null ? w.last : <Moment at={of.toTime} />} · <bdi>{of.reason}</bdi>
      </small>
    </li>
  );
}
