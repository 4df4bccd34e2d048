import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { Moment } from '../../part/value/time.tsx';
import { retentionWords } from '../../word/retention.ts';

const SIZE = 20;

type Changed = { changed(): void };

/** Imports of past values, newest first; what one stored can be taken back as a whole. */
export function Imports({ changed }: Changed) {
  const w = retentionWords().imports;
  const asked = useAsk('POST /data/point_value/import/list', { page: pageIn('imports', SIZE) });
  const again = (): void => {
    asked.again();
    changed();
  };
  return (
    <Section title={w.title}>
      <p class="quiet">{w.lead}</p>
      <List asked={asked} page="imports" rows={2} none={<Empty title={w.none} />}>
        {(row) => <Import key={row.id} of={row} changed={again} />}
      </List>
    </Section>
  );
}

function Import({ of, changed }: Changed & { of: Schemas['ValueImport'] }) {
  const w = retentionWords().imports;
  // A finished undo left nothing, also where the retention class had deleted a part before.
  const isLeft = of.valueCount > 0 && (of.undoFlag === null || of.undoFlag === 'STOPPED');
  return (
    <li>
      <div class="row">
        <span class="strong">
          <Moment at={of.fromTime} /> – <Moment at={of.toTime} />
        </span>
        <span class="tabular">{w.stored(of.valueCount, of.sentCount)}</span>
        {isLeft && may('svc-center-data:point_value:delete') && (
          <div class="actions">
            <Opener kind="danger" word={w.undo} label={`${w.undo} ${of.importName}`}>
              {(close) => <Undo of={of} changed={changed} onClose={close} />}
            </Opener>
          </div>
        )}
      </div>
      <small class="quiet">
        <bdi>{of.creatorName}</bdi> · <Moment at={of.createTime} />
        {of.undoFlag !== null && ` · ${w.undone[of.undoFlag](of.undoneCount)}`}
      </small>
    </li>
  );
}

function Undo({ of, changed, onClose }: Changed & { of: Schemas['ValueImport']; onClose(): void }) {
  const words = retentionWords();
  const w = words.imports;
  const form = useForm('POST /data/point_value/import/undo', {
    fields: { reason: '' },
    input: ({ reason }) => ({ id: of.id, reason }),
    done({ valueCount, stateFlag }) {
      announce(w.undone[stateFlag](valueCount));
      onClose();
    },
    ended: changed,
  });
  return (
    <FormDialog title={w.undo} go={w.undo} {...form.sends} onClose={onClose}>
      <p>{w.means}</p>
      <TextField label={words.reason} {...form.of('reason')} />
    </FormDialog>
  );
}
