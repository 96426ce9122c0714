/** Turns texts into flat strings, as they are after a request's JSON is parsed, rather than concatenations. */
export function received(texts: readonly string[]): string[] {
  return texts.map(text => JSON.parse(JSON.stringify(text)))
}

const paragraphs = [
  'The results are in. The first of them is the page that I was asked for; it stands below the two advertisements, which I must not touch. I remember that the task wants the notes of the last release and not those of the one before, so I should not stop at the first link that mentions a release. I open the page in this tab and look for the list of releases there.',
  'I still see the dialog that asks whether to keep the changes. The file has the right name and the folder is the one from the task, so the button on the right is the one to press. Before that, I check once more that nothing else is open: the title bar shows a single document, and the panel on the left is empty. After the press the dialog should be gone and the title should lose its star; if it does not, I will have to save under another name and tell the user about it.',
  '任务栏上有浏览器的图标，桌面上没有其他窗口。按照任务的要求，我需要先打开浏览器，然后在地址栏里输入网址，最后在页面里找到下载按钮。上一步已经关闭了提示框，所以现在可以直接点击任务栏上的图标，等待浏览器窗口出现以后再继续下一步。',
  'The page is longer than the window. The table that I need comes after the second heading, so I scroll down a little further and look again. So far I have found two of the three numbers; the last one must be in the table.',
]
const calls = [
  "click(start_box='(412,338)')",
  "click(start_box='<|box_start|>(912,704)<|box_end|>')",
  "click(point='<point>57 980</point>')",
  "scroll(start_box='(500,500)', direction='down')",
  "type(content='release notes 2.4\\n')",
  "hotkey(key='ctrl s')",
  "drag(start_box='(120,300)', end_box='(640,300)')",
  "finished(content='The notes are saved.')",
]
/** What UI-TARS prints for a task: a paragraph of thought and a call, of every kind in turn. */
export const task = received(
  calls.flatMap((call, at) => [
    `Thought: ${paragraphs[at % paragraphs.length]}\nAction: ${call}`,
    `Thought: ${paragraphs[(at + 1) % paragraphs.length]}\nAction: ${call}`,
  ]),
)

/** The same calls with minimal thought. */
export const terse = received(calls.map(call => `Thought: Next.\nAction: ${call}`))
