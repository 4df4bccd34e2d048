import { type Asked, useAct, useAsk } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { sizeOf } from '../../part/value/amount.tsx';
import { Ago } from '../../part/value/time.tsx';
import { firmwareWords } from '../../word/firmware.ts';
import { partWords } from '../../word/part.ts';

type Given = {
  asked: Asked<AnswerOf<'POST /manager/firmware/list'>>;
  onSend(id: string, name: string): void;
};

export function Packages({ asked, onSend }: Given) {
  const w = firmwareWords();
  const act = useAct('POST /manager/firmware/delete');
  return (
    <Section title={w.packages}>
      <List
        asked={asked}
        page="packages"
        rows={2}
        none={<Empty title={w.noPackage}>{w.noPackageNext}</Empty>}
      >
        {({ id, packageName, packageVersion, size, sha256, createTime }) => {
          const name = `${packageName} ${packageVersion}`;
          return (
            <li key={id}>
              <div class="row">
                <bdi class="strong">{name}</bdi>
                <span class="quiet">{sizeOf(size)}</span>
                <span class="quiet">
                  SHA-256 <code title={sha256}>{sha256.slice(0, 12)}…</code>
                </span>
                <Ago at={createTime} isQuiet />
                <div class="actions">
                  {may('svc-center-manager:firmware:delete') && (
                    <AskButton
                      kind="plain"
                      label={`${partWords().delete}: ${name}`}
                      title={w.removeAsk(name)}
                      act={act}
                      run={() => act.run({ id })}
                      done={() => {
                        announce(w.removed(name));
                        asked.again();
                      }}
                    >
                      <p>{w.removeMeans}</p>
                    </AskButton>
                  )}
                  {may('svc-center-manager:firmware_rollout:add') && (
                    <Button
                      kind="primary"
                      onPress={() => onSend(id, name)}
                      label={`${w.rollOut}: ${name}`}
                    >
                      {w.rollOut}
                    </Button>
                  )}
                </div>
              </div>
            </li>
          );
        }}
      </List>
    </Section>
  );
}

type NewGiven = { packageId: string; name: string; begun(): void; onClose(): void };

const SHOWN = 100;

/** Which devices get a package, and in which steps. */
export function NewRollout({ packageId, name, begun, onClose }: NewGiven) {
  const w = firmwareWords();
  const page = { current: 1, size: SHOWN };
  const groups = useAsk('POST /manager/group/list', { groupTypeFlag: 'DEVICE', page });
  const labels = useAsk('POST /manager/label/list', { entityTypeFlag: 'DEVICE', page });
  const devices = useAsk('POST /manager/device/list', { page });
  const form = useForm('POST /manager/firmware/rollout/start', {
    fields: { target: '', waveSize: '10', failurePercent: '10', minutes: '60' },
    needs: ['target'],
    input: ({ target, waveSize, failurePercent, minutes }) => ({
      packageId,
      ...targetIn(target),
      waveSize: Number(waveSize),
      failurePercent: Number(failurePercent),
      minutes: Number(minutes),
    }),
    done() {
      announce(w.begun(name));
      begun();
      onClose();
    },
  });
  const options = [
    ['', w.choose] as const,
    ...(groups.data?.records ?? []).map(
      ({ id, groupName }) => [`group ${id}`, w.ofGroup(groupName)] as const,
    ),
    ...(labels.data?.records ?? []).map(
      ({ id, labelName }) => [`label ${id}`, w.ofLabel(labelName)] as const,
    ),
    ...(devices.data?.records ?? []).map(
      ({ id, deviceName }) => [`device ${id}`, w.ofDevice(deviceName)] as const,
    ),
  ];
  return (
    <FormDialog title={w.rollOutTitle(name)} go={w.start} {...form.sends} onClose={onClose}>
      <Choice label={w.devices} {...form.of('target')} options={options} />
      <TextField label={w.waveSize} hint={w.waveHint} {...form.of('waveSize')} />
      <TextField label={w.failurePercent} hint={w.failureHint} {...form.of('failurePercent')} />
      <TextField label={w.minutes} {...form.of('minutes')} />
    </FormDialog>
  );
}

function targetIn(target: string) {
  const [kind, id = ''] = target.split(' ');
  if (kind === 'group') return { groupId: id };
  return kind === 'label' ? { labelId: id } : { deviceIds: [id] };
}
