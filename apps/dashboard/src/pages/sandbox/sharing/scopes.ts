import type { LiveScope } from '@sandglass/protocol'

/** What an invitation can allow besides watching, in words. */
export const scopeTitles: readonly (readonly [Exclude<LiveScope, 'view'>, string])[] = [
  ['input', 'Take control: mouse and keyboard'],
  ['clipboard:read', 'Copy from the machine'],
  ['clipboard:write', 'Paste into the machine'],
  ['force', 'Take control from another person'],
]

const short: Readonly<Record<LiveScope, string>> = {
  view: 'watch',
  input: 'control',
  'clipboard:read': 'copy',
  'clipboard:write': 'paste',
  force: 'take over',
}

export function scopeText(scope: readonly LiveScope[]): string {
  return scope.map(each => short[each]).join(', ')
}
