import { words } from './words.ts';

/** Things set back to what they were before a change. */
export const versionWords = words({
  en: {
    title: 'Earlier version',
    back: 'Set back',
    backTo: (name: string) => `Set back ${name} to before this change`,
    before: 'As it was before the change by',
    counts: 'The form is filled in with that. Nothing is changed until you save it. Now → then:',
    same: 'It is now as it was then.',
    stays: 'Also changed since then, and not in this form:',
    nothing: 'none',
    platform: 'the platform',
    many: 'It was changed more than 100 times since then: what it was is not read so far back. The form has what is stored now.',
    gone: 'It was deleted since then, and is not set back.',
    none: 'The change log has no such change. The form has what is stored now.',
    history: 'Changes',
    only: 'Only the changes of one thing.',
    all: 'All changes',
  },
  zh: {
    title: '较早的版本',
    back: '恢复',
    backTo: (name) => `恢复 ${name} 到此更改之前`,
    before: '更改前的状态，更改者：',
    counts: '表单已按当时的内容填写，保存之前不会更改任何内容。现在 → 当时：',
    same: '现在与当时相同。',
    stays: '此后还更改了本表单没有的内容：',
    nothing: '无',
    platform: '平台',
    many: '此后更改超过 100 次，无法读到当时的内容。表单显示现在存储的内容。',
    gone: '此后已删除，无法恢复。',
    none: '变更记录中没有这项更改。表单显示现在存储的内容。',
    history: '变更',
    only: '仅显示一项对象的变更。',
    all: '全部变更',
  },
});
