import { Save } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Loading } from '../../../ui/notes.tsx'
import { messageOf } from '../../../ui/problems.ts'
import type { Box } from '../box.ts'
import { ChangedNote } from './changed-note.tsx'
import { onFileChange } from './file-changes.ts'
import { hasChanged, type OpenText, writeText } from './open-file.ts'
import { nameOf } from './paths.ts'

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }))

/** Edits a text file. What somebody else wrote meanwhile is not overwritten without asking. */
export function TextEditor({
  box,
  opened,
  readAt,
  onDirty,
  onSaved,
  onReload,
}: {
  box: Box
  opened: OpenText
  /** Another time means that the file was read again. */
  readAt: number
  onDirty: (isDirty: boolean) => void
  onSaved: (saved: OpenText) => void
  onReload: () => void
}) {
  const [state, setState] = useState<'clean' | 'dirty' | 'saving'>('clean')
  const [isChanged, setChanged] = useState(false)
  const [problem, setProblem] = useState<string>()
  const textNow = useRef(() => opened.text)
  const isClean = state === 'clean'
  useEffect(() => onDirty(!isClean), [isClean, onDirty])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it was read again.
  useEffect(() => {
    setState('clean')
    setChanged(false)
    setProblem(undefined)
  }, [readAt])
  useEffect(
    () =>
      onFileChange(box.id, opened.path, async () => {
        if (!(await hasChanged(box, opened).catch(() => false))) return
        if (isClean) onReload()
        else setChanged(true)
      }),
    [box, opened, isClean, onReload],
  )
  const save = async (text: string, isForced = false) => {
    setState('saving')
    setProblem(undefined)
    try {
      const isConflict = !isForced && (await hasChanged(box, opened))
      setChanged(isConflict)
      if (!isConflict) onSaved(await writeText(box, opened, text))
      setState(isConflict ? 'dirty' : 'clean')
    } catch (error) {
      setProblem(messageOf(error))
      setState('dirty')
    }
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <span className="min-w-0 truncate font-mono text-[13px]">{opened.path}</span>
        <span className="flex items-center gap-2">
          <span role="status" className="text-[13px] text-quiet">
            {{ clean: '', dirty: 'Not saved', saving: 'Saving' }[state]}
          </span>
          <Button size="small" disabled={state !== 'dirty'} onClick={() => void save(textNow.current())}>
            <Save />
            Save
          </Button>
        </span>
      </div>
      {problem !== undefined && (
        <p role="alert" className="bg-wrong-soft px-3 py-2 text-wrong">
          {problem}
        </p>
      )}
      {isChanged && (
        <ChangedNote onOverwrite={() => void save(textNow.current(), true)} onReload={onReload} />
      )}
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading />}>
          <CodeEditor
            key={readAt}
            name={nameOf(opened.path)}
            text={opened.text}
            onChange={text => {
              textNow.current = text
              setState('dirty')
            }}
            onSave={text => void save(text)}
          />
        </Suspense>
      </div>
    </div>
  )
}
