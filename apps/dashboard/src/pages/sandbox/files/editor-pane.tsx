import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Empty, ErrorNote, Loading } from '../../../ui/notes.tsx'
import type { Box } from '../box.ts'
import { type OpenText, readText } from './open-file.ts'
import { TextEditor } from './text-editor.tsx'

/** The selected file: its text, or why it is not shown. */
export function EditorPane({
  box,
  path,
  onDirty,
  onDownload,
}: {
  box: Box
  path: string
  onDirty: (isDirty: boolean) => void
  onDownload: () => void
}) {
  const queries = useQueryClient()
  const queryKey = ['readText', box.id, path] as const
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey,
    queryFn: () => readText(box, path),
    // A text in the editor is not replaced by itself.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  if (data.kind === 'none')
    return (
      <Empty title={data.reason}>
        {data.canDownload && (
          <Button onClick={onDownload}>
            <Download />
            Download
          </Button>
        )}
      </Empty>
    )
  return (
    <TextEditor
      box={box}
      opened={data}
      readAt={dataUpdatedAt}
      onDirty={onDirty}
      onSaved={(saved: OpenText) =>
        // The text in the editor is that of the file already.
        queries.setQueryData(queryKey, saved, { updatedAt: dataUpdatedAt })
      }
      onReload={() => void queries.invalidateQueries({ queryKey })}
    />
  )
}
