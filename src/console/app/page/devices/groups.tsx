import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { groupsWords } from '../../word/groups.ts';
import { partWords } from '../../word/part.ts';

const SIZE = 100;
const TYPE = 'DEVICE';
const ROOT = '0';

/** `/groups`: the groups and labels of devices; from here to the devices in one. */
export function Groups() {
  return (
    <Page actions={<Link to="/devices">{groupsWords().toDevices}</Link>}>
      <GroupList />
      {may('svc-center-manager:label:list') && <LabelList />}
    </Page>
  );
}

function GroupList() {
  const w = groupsWords();
  const asked = useAsk('POST /manager/group/list', {
    groupTypeFlag: TYPE,
    page: pageIn('page', SIZE),
  });
  const all = asked.data?.records ?? [];
  return (
    <Section
      title={w.groups}
      actions={
        may('svc-center-manager:group:add') && (
          <Opener word={w.addGroup} closed={asked.again}>
            {(close) => <GroupForm group={null} groups={all} onClose={close} />}
          </Opener>
        )
      }
    >
      <p class="quiet">{w.groupsMean}</p>
      <List
        asked={asked.data ? { ...asked, data: { ...asked.data, records: nested(all) } } : asked}
        page="page"
        label={w.groups}
        none={<Empty title={w.noGroups} />}
      >
        {(group) => (
          <li key={group.id} class={`level-${Math.min(group.groupLevel, DEEPEST)}`}>
            <div class="row">
              <Link to={`/devices?groupId=${group.id}`} class="strong">
                <bdi>{group.groupName}</bdi>
              </Link>
              <span class="quiet">
                <bdi>{group.remark}</bdi>
              </span>
              <GroupActions group={group} groups={all} again={asked.again} />
            </div>
          </li>
        )}
      </List>
    </Section>
  );
}

/** Levels that the style sets in. */
const DEEPEST = 3;

type Group = Schemas['Group'];
type Label = Schemas['Label'];

/** Each group before those below it; one whose parent is on another page is where it is. */
function nested(groups: readonly Group[]): Group[] {
  const below = (parentId: string): Group[] =>
    groups
      .filter(({ parentGroupId }) => parentGroupId === parentId)
      .flatMap((group) => [group, ...below(group.id)]);
  const known = new Set(groups.map(({ id }) => id));
  const roots = new Set(groups.map((each) => each.parentGroupId).filter((id) => !known.has(id)));
  return [...roots].flatMap(below);
}

type ActionsGiven = { group: Group; groups: readonly Group[]; again(): void };

function GroupActions({ group, groups, again }: ActionsGiven) {
  const w = groupsWords();
  const remove = useAct('POST /manager/group/delete');
  const { id, groupName } = group;
  return (
    <div class="actions">
      {may('svc-center-manager:group:update') && (
        <Opener word={w.change} kind="quiet" label={`${w.change}: ${groupName}`} closed={again}>
          {(close) => <GroupForm group={group} groups={groups} onClose={close} />}
        </Opener>
      )}
      {may('svc-center-manager:group:delete') && (
        <AskButton
          kind="quiet"
          label={`${partWords().delete}: ${groupName}`}
          title={w.deleteGroup(groupName)}
          act={remove}
          run={() => remove.run({ id })}
          done={() => {
            announce(w.gone(groupName));
            again();
          }}
        >
          <p>{w.deleteGroupMeans}</p>
        </AskButton>
      )}
    </div>
  );
}

type GroupGiven = { group: Group | null; groups: readonly Group[]; onClose(): void };

/** Adds a group, or renames one. */
function GroupForm({ group, groups, onClose }: GroupGiven) {
  const w = groupsWords();
  const form = useForm(group ? 'POST /manager/group/update' : 'POST /manager/group/add', {
    fields: {
      groupName: group?.groupName ?? '',
      remark: group?.remark ?? '',
      parentGroupId: group?.parentGroupId ?? ROOT,
    },
    needs: ['groupName'],
    input: (values) =>
      group
        ? { id: group.id, version: group.version, ...values }
        : { ...values, groupTypeFlag: TYPE },
    done(_, { groupName }) {
      announce(w.saved(groupName));
      onClose();
    },
  });
  const title = group ? w.changeOf(group.groupName) : w.addGroup;
  return (
    <FormDialog title={title} {...(!group && { go: w.addGroup })} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('groupName')} />
      <TextField label={w.remark} {...form.of('remark')} />
      <Choice
        label={w.below}
        {...form.of('parentGroupId')}
        options={optionsOf(
          [ROOT, w.root],
          groups.filter(({ id }) => id !== group?.id),
          'groupName',
        )}
      />
    </FormDialog>
  );
}

function LabelList() {
  const w = groupsWords();
  const asked = useAsk('POST /manager/label/list', {
    entityTypeFlag: TYPE,
    page: pageIn('labels', SIZE),
  });
  return (
    <Section
      title={w.labels}
      actions={
        may('svc-center-manager:label:add') && (
          <Opener word={w.addLabel} closed={asked.again}>
            {(close) => <LabelForm label={null} onClose={close} />}
          </Opener>
        )
      }
    >
      <p class="quiet">{w.labelsMean}</p>
      <List asked={asked} page="labels" label={w.labels} none={<Empty title={w.noLabels} />}>
        {(label) => (
          <li key={label.id}>
            <div class="row">
              <Link to={`/devices?labelId=${label.id}`} class="strong">
                <bdi>{label.labelName}</bdi>
              </Link>
              <span class="quiet">
                <bdi>{label.remark}</bdi>
              </span>
              <LabelActions label={label} again={asked.again} />
            </div>
          </li>
        )}
      </List>
    </Section>
  );
}

function LabelActions({ label, again }: { label: Label; again(): void }) {
  const w = groupsWords();
  const remove = useAct('POST /manager/label/delete');
  const { id, labelName } = label;
  return (
    <div class="actions">
      {may('svc-center-manager:label:update') && (
        <Opener word={w.change} kind="quiet" label={`${w.change}: ${labelName}`} closed={again}>
          {(close) => <LabelForm label={label} onClose={close} />}
        </Opener>
      )}
      {may('svc-center-manager:label:delete') && (
        <AskButton
          kind="quiet"
          label={`${partWords().delete}: ${labelName}`}
          title={w.deleteLabel(labelName)}
          act={remove}
          run={() => remove.run({ id })}
          done={() => {
            announce(w.gone(labelName));
            again();
          }}
        >
          <p>{w.deleteLabelMeans}</p>
        </AskButton>
      )}
    </div>
  );
}

/** Adds a label, or renames one. */
function LabelForm({ label, onClose }: { label: Label | null; onClose(): void }) {
  const w = groupsWords();
  const form = useForm(label ? 'POST /manager/label/update' : 'POST /manager/label/add', {
    fields: { labelName: label?.labelName ?? '', remark: label?.remark ?? '' },
    needs: ['labelName'],
    input: (values) =>
      label
        ? { id: label.id, version: label.version, ...values }
        : { ...values, entityTypeFlag: TYPE },
    done(_, { labelName }) {
      announce(w.saved(labelName));
      onClose();
    },
  });
  return (
    <FormDialog
      title={label ? w.changeOf(label.labelName) : w.addLabel}
      {...(!label && { go: w.addLabel })}
      {...form.sends}
      onClose={onClose}
    >
      <TextField label={w.name} {...form.of('labelName')} />
      <TextField label={w.remark} {...form.of('remark')} />
    </FormDialog>
  );
}
