import type { DeviceShell } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { firstLine } from './shell-injector.ts'
import { parseWindowDump } from './window-dump.ts'

const lastTag = '</hierarchy>'
const file = '/data/local/tmp/sandglass-window.xml'

/** Uses `uiautomator dump`, which every Android has. It takes a second or two, and waits for the screen to settle. */
export async function readTree(shell: DeviceShell): Promise<UiTree> {
  const { output } = await shell.run(`uiautomator dump ${file} && cat ${file}; rm -f ${file}`)
  const xml = findDump(output)
  if (xml) return parseWindowDump(xml)
  throw new MachineError(
    'MACHINE_FAILED',
    `The device does not report the elements on its screen: ${firstLine(output)}`,
  )
}

/** The dump in the output. A regular expression would search to the end of the output again from each `<?xml`. */
export function findDump(output: string): string | undefined {
  const [begin, end] = [output.indexOf('<?xml'), output.lastIndexOf(lastTag)]
  return begin !== -1 && end > begin ? output.slice(begin, end + lastTag.length) : undefined
}
