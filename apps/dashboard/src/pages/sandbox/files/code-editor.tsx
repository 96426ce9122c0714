import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorLook } from './editor-look.ts'
import { languageOf } from './languages.ts'

export interface CodeEditorProps {
  readonly name: string
  /** What is shown at first. Give the editor another `key` to show another text. */
  readonly text: string
  readonly onChange: (text: () => string) => void
  readonly onSave: (text: string) => void
}

/** An editor for a text. */
export function CodeEditor(props: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const newest = useRef(props)
  newest.current = props
  useEffect(() => {
    if (!place.current) return
    const { name, text } = newest.current
    const language = new Compartment()
    const save = ({ state }: EditorView) => {
      newest.current.onSave(state.sliceDoc())
      return true
    }
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorState.lineSeparator.of(lineBreakOf(text)),
          EditorView.contentAttributes.of({ 'aria-label': name }),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          keymap.of([
            { key: 'Mod-s', run: save },
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of(
            ({ docChanged, state }) => docChanged && newest.current.onChange(() => state.sliceDoc()),
          ),
          editorLook,
          language.of([]),
        ],
      }),
    })
    void languageOf(name).then(loaded => view.dispatch({ effects: language.reconfigure(loaded) }))
    return () => view.destroy()
  }, [])
  return <div ref={place} className="h-full" />
}

/** Line breaks stay as they are. If they differ within the text, carriage returns are characters of it. */
function lineBreakOf(text: string): string {
  const isWindows = text.includes('\r\n') && !/(^|[^\r])\n/.test(text)
  return isWindows ? '\r\n' : '\n'
}
