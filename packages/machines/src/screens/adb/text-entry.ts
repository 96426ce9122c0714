import { type DeviceShell, quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import { firstLine } from './shell-hands.ts'

/** An input method that commits whatever text a broadcast brings. Operators install it on devices; the simulator has it. */
const textMethod = 'com.android.adbkeyboard/.AdbIME'

/** Command lines of Android's shell are bounded, and base64 makes a third more of it. */
const piece = 20_000

/**
 * Types text into what has the focus: any text where the device has an input method that takes it by broadcast, and otherwise
 * what `input text` can type.
 */
export async function enterText(shell: DeviceShell, text: string): Promise<void> {
  if (await hasTextMethod(shell)) return broadcast(shell, text)
  const foreign = /[^\x20-\x7e\n\t]/u.exec(text)
  if (foreign)
    throw new MachineError(
      'INVALID',
      `The device can type ASCII only, and content has ${JSON.stringify(foreign[0])}. Install the input method ${textMethod} on it to type anything.`,
    )
  for (const line of text.split(/(\n|\t)/)) {
    if (line === '\n') await run(shell, 'input keyevent KEYCODE_ENTER')
    else if (line === '\t') await run(shell, 'input keyevent KEYCODE_TAB')
    // `input` reads %s as a space, so the two characters themselves come apart.
    else for (const part of line.split(/(?<=%)(?=s)/)) await typeAscii(shell, part)
  }
}

/** By the same input method, or else by the keys that select everything, which Android has since version 13, and delete. */
export async function clearText(shell: DeviceShell): Promise<void> {
  if (await hasTextMethod(shell)) await send(shell, '-a ADB_CLEAR_TEXT')
  else await run(shell, 'input keycombination KEYCODE_CTRL_LEFT KEYCODE_A && input keyevent KEYCODE_DEL')
}

async function hasTextMethod(shell: DeviceShell): Promise<boolean> {
  const { output } = await shell.run('settings get secure default_input_method')
  if (output.trim() === textMethod) return true
  const { output: methods } = await shell.run('ime list -s -a')
  if (!methods.split('\n').some(line => line.trim() === textMethod)) return false
  await shell.run(`ime enable ${textMethod} && ime set ${textMethod}`)
  return true
}

async function broadcast(shell: DeviceShell, text: string): Promise<void> {
  for (const part of pieces(text)) {
    const base64 = Buffer.from(part).toString('base64')
    await send(shell, `-a ADB_INPUT_B64 --es msg ${base64}`)
  }
}

async function send(shell: DeviceShell, intent: string): Promise<void> {
  const output = await run(shell, `am broadcast ${intent}`)
  if (/result=1\b/.test(output))
    throw new MachineError('INVALID', 'Nothing on the screen takes text: tap a field for text first.')
  if (!/result=0\b/.test(output))
    throw new MachineError('MACHINE_FAILED', `The device's input method took no text: ${firstLine(output)}`)
}

/** Never within a character. */
function* pieces(text: string): Generator<string> {
  const characters = [...text]
  for (let at = 0; at < characters.length; at += piece) yield characters.slice(at, at + piece).join('')
}

async function typeAscii(shell: DeviceShell, text: string): Promise<void> {
  if (text.length > 0) await run(shell, `input text ${quote(text.replaceAll(' ', '%s'))}`)
}

async function run(shell: DeviceShell, command: string): Promise<string> {
  const { code, output } = await shell.run(command)
  if (code !== 0)
    throw new MachineError('MACHINE_FAILED', `The device did not take text: ${firstLine(output)}`)
  return output
}
