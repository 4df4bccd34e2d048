import { words } from './words.ts';

export const partWords = words({
  en: {
    loading: 'Loading',
    again: 'Try again',
    close: 'Close',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'Copied',
    of: (shown: number, total: number) => `${shown} of ${total}`,
    next: 'Next',
    back: 'Back',
    newest: 'Newest',
    unreachable: {
      title: 'No connection to the platform',
      text: 'What is shown may be out of date. It is tried again when you ask for it.',
    },
    forbidden: {
      title: 'Your rights do not reach here',
      text: 'An administrator of the tenant can extend them under Settings.',
    },
    notFound: {
      title: 'It does not exist',
      text: 'It may have been removed, or the address is wrong.',
    },
    refused: 'The platform refused this',
    limits: {
      none: 'none set',
      most: (value: string) => `at most ${value}`,
      least: (value: string) => `at least ${value}`,
      between: (low: string, high: string) => `${low} to ${high}`,
    },
    unknownEffect: 'No answer came: whether it was done is not known.',
  },
  zh: {
    loading: '加载中',
    again: '重试',
    close: '关闭',
    cancel: '取消',
    copy: '复制',
    copied: '已复制',
    of: (shown, total) => `${shown} / ${total}`,
    next: '下一页',
    back: '上一页',
    newest: '最新',
    unreachable: { title: '无法连接平台', text: '显示的内容可能已过时。可手动重试。' },
    forbidden: { title: '权限不足', text: '租户管理员可在“设置”中扩展权限。' },
    notFound: { title: '不存在', text: '可能已被删除，或地址有误。' },
    refused: '平台拒绝了此操作',
    limits: {
      none: '未设置',
      most: (value) => `不高于 ${value}`,
      least: (value) => `不低于 ${value}`,
      between: (low, high) => `${low} 至 ${high}`,
    },
    unknownEffect: '没有收到回复：无法确定是否已执行。',
  },
});
