import { useState } from 'preact/hooks';

import type { Asked } from '../client/ask.ts';
import { bounds } from '../client/bounds.ts';
import { Refused, Unreachable } from '../client/failure.ts';
import { query } from '../client/route.ts';
import { announce } from '../part/announce.tsx';
import { Button } from '../part/control/button.tsx';
import { Copy } from '../part/control/copy.tsx';
import { AskFirst, FormDialog } from '../part/control/dialog.tsx';
import { Check, Checks, Choice, optionsIn, TextArea, TextField } from '../part/control/field.tsx';
import { useForm } from '../part/control/form.ts';
import { List, pageIn } from '../part/control/list.tsx';
import { Empty, Loaded } from '../part/control/loaded.tsx';
import { Opener } from '../part/control/opener.tsx';
import { Search, Tabs } from '../part/control/search.tsx';
import { sorted, type Sorts } from '../part/control/sort.tsx';
import { Table } from '../part/control/table.tsx';
import { Facts, Page, Section } from '../part/page.tsx';
import { Amount } from '../part/value/amount.tsx';
import { Chip } from '../part/value/mark.tsx';
import { Ago, Moment } from '../part/value/time.tsx';
import { kitWords } from '../word/kit.ts';
import { newDeviceWords } from '../word/new-device.ts';

/** `/kit`: every part of the kit in its states, for those that build pages. */
export function Kit() {
  const w = kitWords();
  return (
    <Page title={w.title}>
      <p class="quiet">{w.lead}</p>
      <Buttons />
      <Fields />
      <Dialogs />
      <Lists />
      <Answers />
      <Things />
    </Page>
  );
}

function Buttons() {
  const w = kitWords();
  const [presses, setPresses] = useState(0);
  const press = (): void => setPresses(presses + 1);
  return (
    <Section title={w.buttons}>
      <div class="row">
        {(['primary', 'danger', 'plain', 'quiet'] as const).map((kind) => (
          <Button key={kind} kind={kind} onPress={press}>
            {w.button[kind]}
          </Button>
        ))}
        <Button kind="primary" isBusy onPress={press}>
          {w.busy}
        </Button>
        <Button isOff onPress={press}>
          {w.off}
        </Button>
        <Button isOpen onPress={press}>
          {w.open}
        </Button>
        <Button isPressed onPress={press}>
          {w.pressed}
        </Button>
        <Button onPress={() => announce(w.announced)}>{w.announce}</Button>
        <Amount value={presses} />
      </div>
    </Section>
  );
}

const KINDS = ['pump', 'valve', 'meter'] as const;
type Kind = (typeof KINDS)[number];

function Fields() {
  const w = kitWords();
  const [text, setText] = useState('');
  const [kind, setKind] = useState<Kind>('pump');
  const [kinds, setKinds] = useState<readonly Kind[]>(['valve']);
  const [isOn, setOn] = useState(true);
  const of = { value: text, onChange: setText, autocomplete: 'off' };
  const options = optionsIn(KINDS, w.options);
  const choice = { value: kind, onChange: (chosen: Kind) => setKind(chosen), options };
  return (
    <Section title={w.fields}>
      <div class="fields">
        <TextField label={w.name} hint={w.hint} {...of} />
        <TextField label={w.name} wrong={w.wrong} {...of} />
        <TextField label={w.long} {...of} value={w.long} />
        <TextField label={w.number} type="number" min="0" {...of} />
        <TextField label={w.time} type="time" {...of} />
        <TextField label={w.password} type="password" {...of} />
        <Choice label={w.choice} {...choice} />
        <Choice label={w.choice} wrong={w.wrong} {...choice} />
      </div>
      <TextArea label={w.text} value={text} onChange={setText} />
      <Check label={w.check} hint={w.hint} value={isOn} onChange={setOn} />
      <Check label={w.readOnly} value={isOn} isOff onChange={setOn} />
      <fieldset>
        <legend>{w.several}</legend>
        <Checks value={kinds} onChange={setKinds} options={options} />
      </fieldset>
    </Section>
  );
}

function Dialogs() {
  const w = kitWords();
  const failure = new Refused(409, 'KIT', w.refused, null);
  const sends = (close: () => void) => ({ isRunning: false, onGo: close, onClose: close });
  return (
    <Section title={w.dialogs}>
      <div class="row">
        <Opener word={w.form}>{(close) => <PointForm onClose={close} />}</Opener>
        <Opener kind="danger" word={w.question}>
          {(close) => (
            <AskFirst title={w.question} go={w.button.danger} failure={failure} {...sends(close)}>
              <p>{w.means}</p>
            </AskFirst>
          )}
        </Opener>
      </div>
    </Section>
  );
}

const { pointTypeFlag } = bounds['POST /manager/point/add'];
const FIRST: { pointName: string; pointTypeFlag: PointType; valueDecimal: string } = {
  pointName: '',
  pointTypeFlag: 'DOUBLE',
  valueDecimal: '',
};
type PointType = (typeof pointTypeFlag.values)[number];

/** The form of an operation: what its fields keep to is from the OpenAPI document. It sends nothing. */
function PointForm({ onClose }: { onClose(): void }) {
  const w = kitWords();
  const form = useForm('POST /manager/point/add', {
    fields: FIRST,
    input: () => null,
    done: onClose,
  });
  return (
    <FormDialog title={w.form} go={w.form} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('pointName')} />
      <Choice
        label={w.choice}
        {...form.of('pointTypeFlag')}
        options={optionsIn(pointTypeFlag.values, newDeviceWords().point.types)}
      />
      <TextField label={w.number} {...form.of('valueDecimal')} />
    </FormDialog>
  );
}

const SIZE = 2;
const TABS = ['all', 'on', 'off'] as const;

/** An answer that is there, or what is given instead. */
const answer = <T,>(data: T | null, failure: Asked<T>['failure'] = null): Asked<T> => ({
  data,
  failure,
  isLoading: data === null && failure === null,
  again() {},
});

function Lists() {
  const w = kitWords();
  const text = query.value.get('name') ?? '';
  const tab = TABS.find((each) => each === query.value.get('state')) ?? 'all';
  const all = [...KINDS.map((each) => w.options[each]), w.long, w.name].filter((name) =>
    name.includes(text),
  );
  const page = pageIn('page', SIZE);
  const first = (page.current - 1) * SIZE;
  const records = all.slice(first, first + SIZE);
  return (
    <Section title={w.lists}>
      <div class="row filters">
        <Tabs
          label={w.tabs}
          name="state"
          page="page"
          value={tab}
          options={optionsIn(TABS, w.tab)}
        />
        <Search label={w.search} name="name" page="page" />
      </div>
      <List
        asked={answer({ records, ...page, total: all.length })}
        page="page"
        label={w.lists}
        sorts={{ name: (name) => name }}
        none={<Empty title={w.none}>{w.next}</Empty>}
      >
        {(name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        )}
      </List>
    </Section>
  );
}

function Answers() {
  const w = kitWords();
  const refused = (status: number) => new Refused(status, 'KIT', w.refused, null);
  const failures = [new Unreachable(), refused(403), refused(404), refused(409)];
  return (
    <Section title={w.states}>
      <Loaded asked={answer(null)}>{() => null}</Loaded>
      <Loaded asked={answer(null)} rows={1} tall>
        {() => null}
      </Loaded>
      <Empty title={w.none}>{w.next}</Empty>
      {failures.map((failure, index) => (
        <Loaded key={index} asked={answer(null, failure)}>
          {() => null}
        </Loaded>
      ))}
      <Loaded asked={answer(w.long, new Unreachable())}>
        {(text) => (
          <p>
            <bdi>{text}</bdi>
          </p>
        )}
      </Loaded>
    </Section>
  );
}

const SHAPES = {
  good: 'disc',
  info: 'half',
  warning: 'diamond',
  danger: 'cross',
  idle: 'ring',
} as const;

const VALUES = { pump: '21.5', valve: '4', meter: null } as const;
/** In the address as `kind` or `-value`; what has no value is always the last. */
const SORTS: Sorts<Kind> = {
  kind: (kind) => kitWords().options[kind],
  value: (kind) => (VALUES[kind] === null ? null : Number(VALUES[kind])),
};

const LONG_AGO = '2020-02-29T12:00:00.000Z';

function Things() {
  const w = kitWords();
  return (
    <Section title={w.marks}>
      <div class="row">
        {(['good', 'info', 'warning', 'danger', 'idle'] as const).map((tone) => (
          <Chip key={tone} tone={tone} shape={SHAPES[tone]} word={w.state[tone]} />
        ))}
      </div>
      <Facts
        of={[
          [w.value, <Amount value="21.5" unit="°C" />],
          [w.off, <Amount value={null} />],
          [w.time, <Moment at={LONG_AGO} />],
          [w.state.warning, <Ago at={LONG_AGO} />],
          [w.name, w.long],
        ]}
      />
      <Table label={w.marks} columns={[[w.name], [w.value, 'number']]} sorts={['kind', 'value']}>
        {sorted(KINDS, SORTS).map((kind) => (
          <tr key={kind}>
            <th scope="row">{w.options[kind]}</th>
            <td class="number">
              <Amount value={VALUES[kind]} unit="°C" />
            </td>
          </tr>
        ))}
      </Table>
      <Copy text={w.long} label={w.copy} />
    </Section>
  );
}
