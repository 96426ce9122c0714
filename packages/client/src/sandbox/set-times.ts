import type { CallOptions } from '../call-options.ts'
import { runProgram } from './run.ts'
import type { Target } from './target.ts'

/** How many characters are sent to one program. */
const maxLength = 64 * 1024
const script = 'xargs -0 -n 200 sh -c \'while [ $# -gt 1 ]; do touch -c -d "@$1" -- "$2"; shift 2; done\' sh'

/** Sets when files were changed, because an upload does not. Where that fails, the files are uploaded again the next time. */
export async function setTimes(
  target: Target,
  files: readonly { readonly path: string; readonly modifiedMs: number }[],
  call: CallOptions,
): Promise<void> {
  let list = ''
  for (const [index, { path, modifiedMs }] of files.entries()) {
    list += `${(modifiedMs / 1000).toFixed(3)}\0${path}\0`
    if (list.length < maxLength && index < files.length - 1) continue
    await runProgram(target, ['sh', '-c', script], { ...call, stdin: list })
    list = ''
  }
}
