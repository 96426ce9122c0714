import type { Context } from '../../context.ts'
import { exitCodes, UsageError } from '../../failures.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { parsePlace } from '../place.ts'
import { printable } from '../printable.ts'
import type { Copier } from './copier.ts'
import { download, downloadPipe } from './download.ts'
import { Progress } from './progress.ts'
import { upload, uploadPipe } from './upload.ts'

/** Copies all arguments but the last to the last one. Returns the exit code. */
export async function copy(context: Context, args: readonly string[]): Promise<number> {
  if (args.length < 2) throw new UsageError('It is not said where to copy to.', 'See `sandglass cp --help`.')
  const sources = args.slice(0, -1).map(parsePlace)
  const target = parsePlace(args.at(-1) ?? '')
  let exitCode = 0
  for (const source of sources) {
    const remote = source.kind === 'sandbox' ? source : target.kind === 'sandbox' ? target : undefined
    if (!remote || (source.kind === 'sandbox' && target.kind === 'sandbox'))
      throw new UsageError(
        'One side has to be a path in a sandbox, and the other one on this computer.',
        'Write a path in a sandbox as ID:path, and a file of this computer with a colon as ./name.',
      )
    const copier = await copierFor(context, remote.sandbox, () => {
      exitCode = exitCodes.failure
    })
    // With several sources, the target can only be a folder.
    const into = sources.length > 1 ? '/' : ''
    try {
      if (source.kind === 'pipe') await uploadPipe(copier, remote.path)
      else if (target.kind === 'pipe') await downloadPipe(copier, remote.path)
      else if (source.kind === 'here') await upload(copier, source.path, remote.path + into)
      else if (target.kind === 'here') await download(copier, remote.path, target.path + into)
    } finally {
      copier.progress.end()
    }
  }
  return exitCode
}

async function copierFor(context: Context, sandbox: string, onSkip: () => void): Promise<Copier> {
  const [{ Sandbox }, sandboxId, client] = await Promise.all([
    import('@sandglass/client'),
    findSandboxId(context, sandbox),
    context.client(),
  ])
  const { stderr, options } = context
  const progress = new Progress(stderr.isTTY && !options.quiet ? stderr : undefined)
  return {
    context,
    progress,
    box: Sandbox.connect(sandboxId, { client }),
    onSkipped: message => {
      onSkip()
      progress.end()
      stderr.write(`not copied: ${printable(message)}\n`)
    },
  }
}
