import type { EffectSandbox } from './effect-sandbox.ts'
import { type EffectKind, px } from './kind.ts'

const tapAt = ({ x, y }: { readonly x: number; readonly y: number }) => ({
  type: 'touch:tap',
  x: px(x),
  y: px(y),
})

const home = (sandbox: EffectSandbox) => sandbox.perform({ type: 'android:home' })

const start = (app: string) => (sandbox: EffectSandbox) =>
  sandbox.perform({ type: 'os:startApp', packageName: `com.sandglass.${app}` })

/** What a tap on a simulated phone can cause. */
export const phoneKinds: readonly EffectKind[] = [
  {
    name: 'a tap that opens an app of a phone',
    prepare: home,
    action: async sandbox => tapAt(await sandbox.element('Settings')),
    undo: home,
  },
  {
    name: 'a tap on a key in an app of a phone',
    prepare: start('calculator'),
    action: async sandbox => tapAt(await sandbox.element('7')),
    undo: async sandbox => sandbox.perform(tapAt(await sandbox.element('C'))),
  },
  {
    name: 'a tap that does nothing on a phone',
    prepare: home,
    action: () => tapAt({ x: 360, y: 1000 }),
    changesNothing: true,
  },
]
