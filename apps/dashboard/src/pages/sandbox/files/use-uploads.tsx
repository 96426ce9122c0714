import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useOrgId } from '../../../app/session.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import type { Box } from '../box.ts'
import type { ChosenFile } from './dropped.ts'
import { join } from './paths.ts'
import { transfer } from './transfers.ts'
import { upload } from './upload.ts'
import { folderKey } from './use-folder.ts'

interface Asked {
  readonly folder: string
  readonly files: readonly ChosenFile[]
  readonly replaced: readonly string[]
}

/** Uploads files into a folder, and asks first if some of them are there already. */
export function useUploads(box: Box): {
  ask(folder: string, files: readonly ChosenFile[]): Promise<void>
  question: ReactNode
} {
  const orgId = useOrgId()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  const start = async (folder: string, files: readonly ChosenFile[]) => {
    await Promise.all(
      files.map(({ path, file }) =>
        transfer({ sandboxId: box.id, title: `Upload ${path}`, totalBytes: file.size }, (report, signal) =>
          upload(file, { orgId, sandboxId: box.id, path: join(folder, path), report, signal }),
        ),
      ),
    )
    await queries.invalidateQueries({ queryKey: folderKey(orgId, box.id, folder) })
  }
  const ask = async (folder: string, files: readonly ChosenFile[]) => {
    const found = await Promise.all(
      files.map(async ({ path }) => ((await box.files.exists(join(folder, path))) ? [path] : [])),
    ).catch(() => [])
    const replaced = found.flat()
    if (replaced.length > 0) setAsked({ folder, files, replaced })
    else await start(folder, files)
  }
  const question = asked && (
    <Confirm
      title={
        asked.replaced.length === 1
          ? `Replace ${asked.replaced[0]}?`
          : `Replace ${asked.replaced.length} files?`
      }
      about="Files of the same name are in the folder already."
      action="Replace"
      isOpen
      onClose={() => setAsked(undefined)}
      onConfirm={() => {
        setAsked(undefined)
        void start(asked.folder, asked.files)
      }}
    />
  )
  return { ask, question }
}
