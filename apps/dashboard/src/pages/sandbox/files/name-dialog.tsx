import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { readAgain } from '../../../app/calls.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { messageOf } from '../../../ui/problems.ts'
import type { Box } from '../box.ts'
import { join, nameOf, parentOf } from './paths.ts'
import { folderOf, type Selection } from './selection.ts'

export type Naming = 'file' | 'folder' | 'rename'

const titles = { file: 'New file', folder: 'New folder', rename: 'Rename' } as const

/** Asks for a name, and makes or renames what has it. */
export function NameDialog({
  box,
  naming,
  selection,
  onClose,
  onNamed,
}: {
  box: Box
  naming: Naming
  selection: Selection | undefined
  onClose: () => void
  /** `earlier` is the path that is not valid any more. */
  onNamed: (named: Selection, earlier: string | undefined) => void
}) {
  const queries = useQueryClient()
  const earlier = naming === 'rename' ? selection?.path : undefined
  const folder = earlier === undefined ? folderOf(selection) : parentOf(earlier)
  const named = useMutation({
    mutationFn: (name: string) => perform(box, naming, join(folder, name), earlier),
    onSuccess: async (_, name) => {
      const kind =
        naming === 'rename' ? (selection?.kind ?? 'file') : naming === 'folder' ? 'directory' : 'file'
      onNamed({ path: join(folder, name), kind }, earlier)
      await readAgain(queries, ['listSandboxFiles'])
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    named.mutate(String(new FormData(event.currentTarget).get('name')).trim())
  }
  return (
    <Dialog title={titles[naming]} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <Field
          label="Name"
          hint={`In ${folder === '.' ? 'the home folder' : folder}.`}
          problem={named.error ? messageOf(named.error) : undefined}
        >
          <Input
            name="name"
            autoComplete="off"
            spellCheck={false}
            defaultValue={earlier === undefined ? '' : nameOf(earlier)}
          />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={named.isPending}>
            {naming === 'rename' ? 'Rename' : 'Create'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

async function perform(box: Box, naming: Naming, path: string, earlier: string | undefined): Promise<void> {
  if (nameOf(path) === '') throw new Error('A name is needed.')
  if (earlier !== undefined) return await box.files.move(earlier, path)
  if (await box.files.exists(path)) throw new Error('There is something of this name already.')
  if (naming === 'folder') await box.files.makeFolder(path)
  else await box.files.write(path, '')
}
