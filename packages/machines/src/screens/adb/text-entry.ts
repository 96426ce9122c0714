import { type DeviceShell, quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import { firstLine } from './shell-injector.ts'

/**
 * An input method that types any text which it receives by broadcast. Operators install it on devices; the simulator
 * has it.
 */
const broadcastIme = 'com.android.adbkeyboard/.AdbIME'

/** Command lines of Android's shell are limited in length, and base64 makes the text a third longer. */
const chunkLength = 20_000

/**
 * Types text into the focused field. Any text works if the device has the broadcast input method; without it, only
 * what `input text` can type.
 */
export async function enterText(shell: DeviceShell, text: string): Promise<void> {
  if (await hasBroadcastIme(shell)) return broadcast(shell, text)
  const foreign = /[^\x20-\x7e\n\t]/u.exec(text)
  if (foreign)
    throw new MachineError(
      'INVALID',
      `The device can type ASCII only, and content has ${JSON.stringify(foreign[0])}. Install the input method ${broadcastIme} on it to type anything.`,
    )
  for (const line of text.split(/(\n|\t)/)) {
    if (line === '\n') await run(shell, 'input keyevent KEYCODE_ENTER')
    else if (line === '\t') await run(shell, 'input keyevent KEYCODE_TAB')
    // `input` reads %s as a space, so a literal %s is typed in two parts.
    else for (const part of line.split(/(?<=%)(?=s)/)) await typeAscii(shell, part)
  }
}

/** Without the broadcast input method, this presses Ctrl+A, which needs Android 13, and Delete. */
export async function clearText(shell: DeviceShell): Promise<void> {
  if (await hasBroadcastIme(shell)) await send(shell, '-a ADB_CLEAR_TEXT')
  else await run(shell, 'input keycombination KEYCODE_CTRL_LEFT KEYCODE_A && input keyevent KEYCODE_DEL')
}

async function hasBroadcastIme(shell: DeviceShell): Promise<boolean> {
  const { output } = await shell.run('settings get secure default_input_method')
  if (output.trim() === broadcastIme) return true
  const { output: methods } = await shell.run('ime list -s -a')
  if (!methods.split('\n').some(line => line.trim() === broadcastIme)) return false
  await shell.run(`ime enable ${broadcastIme} && ime set ${broadcastIme}`)
  return true
}

async function broadcast(shell: DeviceShell, text: string): Promise<void> {
  for (const part of chunks(text)) {
    const base64 = Buffer.from(part).toString('base64')
    await send(shell, `-a ADB_INPUT_B64 --es msg ${base64}`)
  }
}

async function send(shell: DeviceShell, intent: string): Promise<void> {
  const output = await run(shell, `am broadcast ${intent}`)
  if (/result=1\b/.test(output))
    throw new MachineError('INVALID', 'No text field has the focus. Tap a text field first.')
  if (!/result=0\b/.test(output))
    throw new MachineError(
      'MACHINE_FAILED',
      `The device's input method refused the text: ${firstLine(output)}`,
    )
}

/** Splits text into chunks, never within a character. */
function* chunks(text: string): Generator<string> {
  const characters = [...text]
  for (let at = 0; at < characters.length; at += chunkLength)
    yield characters.slice(at, at + chunkLength).join('')
}

async function typeAscii(shell: DeviceShell, text: string): Promise<void> {
  if (text.length > 0) await run(shell, `input text ${quote(text.replaceAll(' ', '%s'))}`)
}

async function run(shell: DeviceShell, command: string): Promise<string> {
  const { code, output } = await shell.run(command)
  if (code !== 0)
    throw new MachineError('MACHINE_FAILED', `The device refused the text: ${firstLine(output)}`)
  return output
}
