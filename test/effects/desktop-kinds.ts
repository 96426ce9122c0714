import { waitFor } from '@sandglass/machines/testing'
import type { EffectSandbox } from './effect-sandbox.ts'
import { clickAt, type EffectKind, press, px } from './kind.ts'
import { animation, slowServer, splash, startPage } from './programs.ts'

/** Lists the titles of the windows on the desktop, one per line. */
const titles =
  'for id in $(xprop -root _NET_CLIENT_LIST | grep -o "0x[0-9a-f]*"); do xprop -id $id WM_CLASS _NET_WM_NAME WM_NAME; done 2>/dev/null'

const hasWindow = (title: RegExp) => async (sandbox: EffectSandbox) => title.test(await sandbox.run(titles))

const windowIs = (sandbox: EffectSandbox, title: RegExp) => waitFor(() => hasWindow(title)(sandbox))

/** The windows of trials; the panel is a window, too. */
const ours = /chromium|thunar|lxterminal|mousepad|splash|start me|real window|animation/i

/** Ends programs of earlier trials, and waits until their windows are gone. */
async function endAll(sandbox: EffectSandbox): Promise<void> {
  await sandbox.run(
    `for name in chromium thunar lxterminal mousepad xmessage; do pkill -KILL -x $name; done
     pkill -KILL -f effects-; rm -rf ~/.config/chromium ~/.cache/chromium; true`,
  )
  await waitFor(async () => !ours.test(await sandbox.run(titles)))
  // The pointer leaves the panel, whose tooltip would cover what is compared.
  await sandbox.perform({ type: 'mouse:move', x: px(900), y: px(100) })
}

/** The launchers of the panel, from left to right, after the button that opens the menu. */
const launcher = (name: string, index: number, title: RegExp): EffectKind => ({
  name: `a click that starts the ${name}`,
  prepare: endAll,
  action: () => clickAt(68 + 34 * index, 700),
  hasHappened: hasWindow(title),
  undo: endAll,
})

async function openEditor(sandbox: EffectSandbox): Promise<void> {
  if (await hasWindow(/mousepad/i)(sandbox)) return
  await endAll(sandbox)
  await sandbox.run('mousepad --disable-server >/dev/null 2>&1 &')
  await windowIs(sandbox, /mousepad/i)
  await sandbox.run('xdotool search --sync --onlyvisible --class mousepad windowactivate --sync')
}

/** Starts a program of the corpus, and waits until its window is there. */
async function start(sandbox: EffectSandbox, name: string, script: string, title?: RegExp): Promise<void> {
  const file = `/tmp/effects-${name}.py`
  await sandbox.run(`cat > ${file} <<'E'\n${script}\nE\npython3 ${file} >/dev/null 2>&1 &`)
  if (title) await windowIs(sandbox, title)
}

async function openStart(sandbox: EffectSandbox): Promise<void> {
  await endAll(sandbox)
  await start(sandbox, 'server', slowServer)
  await sandbox.run(`chromium --start-maximized ${startPage} >/dev/null 2>&1 &`)
  await windowIs(sandbox, /start page/)
}

/** What an action on a desktop can cause. */
export const desktopKinds: readonly EffectKind[] = [
  launcher('browser', 0, /chromium/i),
  launcher('file manager', 1, /thunar/i),
  launcher('terminal', 2, /lxterminal/i),
  launcher('editor', 3, /mousepad/i),
  {
    name: 'a click that opens the menu of the desktop',
    prepare: endAll,
    action: () => clickAt(400, 300, 3),
    undo: sandbox => sandbox.perform(press('Escape')),
  },
  {
    name: 'a key that opens a menu of a program',
    prepare: openEditor,
    action: () => press('alt+f'),
    undo: sandbox => sandbox.perform(press('Escape'), press('Escape')),
  },
  {
    name: 'a key that opens a dialog',
    prepare: openEditor,
    action: () => press('ctrl+o'),
    hasHappened: hasWindow(/Open File/),
    undo: sandbox => sandbox.perform(press('Escape')),
  },
  {
    name: 'a click on a link to a page that loads in stages from a slow server',
    prepare: openStart,
    action: () => clickAt(640, 400),
    hasHappened: hasWindow(/all stages/),
    undo: endAll,
  },
  {
    name: 'a click that shows a splash screen, and then a window',
    prepare: async sandbox => {
      await endAll(sandbox)
      await start(sandbox, 'splash', splash, /start me/)
    },
    action: () => clickAt(640, 300),
    hasHappened: hasWindow(/real window/),
    undo: endAll,
  },
  {
    name: 'a click next to an endless animation',
    prepare: async sandbox => {
      if (await hasWindow(/animation/)(sandbox)) return
      await endAll(sandbox)
      await start(sandbox, 'animation', animation, /animation/)
    },
    action: () => clickAt(300, 400, 3),
    // The window of the animation with its frame.
    moving: { x: 690, y: 60, width: 420, height: 350 },
    undo: sandbox => sandbox.perform(press('Escape')),
  },
  {
    name: 'a click that does nothing',
    prepare: endAll,
    action: () => clickAt(700, 300),
    changesNothing: true,
  },
  {
    name: 'typing where a caret blinks',
    prepare: openEditor,
    action: () => ({
      type: 'keyboard:type',
      content: 'What is typed is there. ',
      treatNewLineAsEnter: false,
    }),
    undo: sandbox => sandbox.perform(press('ctrl+a'), press('Delete')),
  },
]
