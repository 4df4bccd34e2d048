import { words } from './words.ts';

/** Views of lists, saved under a name. */
export const viewsWords = words({
  en: {
    title: 'Saved view',
    none: 'none',
    save: 'Save this view',
    name: 'Name of the view',
    where: 'It is stored in this browser, for you alone.',
    taken: 'The view of this name is replaced.',
    saved: (name: string) => `Saved: ${name}`,
    forget: 'Delete this view',
    forgetOf: (name: string) => `Delete this view: ${name}`,
    forgotten: (name: string) => `Deleted: ${name}`,
  },
  zh: {
    title: '已保存的视图',
    none: '无',
    save: '保存此视图',
    name: '视图名称',
    where: '仅为您保存在此浏览器中。',
    taken: '将替换同名的视图。',
    saved: (name) => `已保存：${name}`,
    forget: '删除此视图',
    forgetOf: (name) => `删除此视图：${name}`,
    forgotten: (name) => `已删除：${name}`,
  },
});
