/** The role of a widget by the last part of its class name. */
const byClass: Readonly<Record<string, string>> = {
  Button: 'button',
  ImageButton: 'button',
  FloatingActionButton: 'button',
  EditText: 'edit',
  AutoCompleteTextView: 'edit',
  TextView: 'text',
  ImageView: 'image',
  CheckBox: 'checkbox',
  RadioButton: 'radio',
  Switch: 'switch',
  ToggleButton: 'switch',
  SeekBar: 'slider',
  ProgressBar: 'progress',
  Spinner: 'combobox',
  WebView: 'web',
  ListView: 'list',
  RecyclerView: 'list',
  GridView: 'list',
  ScrollView: 'scroll',
  HorizontalScrollView: 'scroll',
  NestedScrollView: 'scroll',
  ViewPager: 'scroll',
  TabWidget: 'tabs',
  Dialog: 'dialog',
  AlertDialog: 'dialog',
}

/**
 * Returns the role of an Android widget by its class, such as `android.widget.Button`. A class without a role of its
 * own is a group.
 */
export function roleOf(className: string): string {
  const word = className.split(/[.$]/).at(-1) ?? ''
  const plain = word.replace(/^(AppCompat|Material)/, '').replace(/(Compat|Material|2)$/, '')
  return byClass[word] ?? byClass[plain] ?? 'group'
}
