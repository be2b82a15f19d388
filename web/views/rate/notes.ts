// What the program notes about a bench, in Japanese. It comes in English sentences (notes_add in stats/ and arena/); each is
// known here by its beginning, with its numbers and names in brackets. test/notes.test.mjs fills every sentence of the sources
// with samples and looks for one that has no entry, and for an entry that fits none.
import { settings } from '../../ui/settings';

export type Sentence = [RegExp, string];

export const notes: Sentence[] = [
  [/^There are fewer than two players/, '対局者が二人いないので、比べるものがありません。'],
  [/^No game has been played/, 'まだ1局も行われていないので、レートはすべて初期値のままです。'],
  [/^The pool falls into (\d+) groups that never met/, '対局者が、互いに対局のない $1 つの組に分かれているため、組をまたいだレートの比較はできません。組の間で少なくとも一度は対局させるか、各組の一人のレートを固定してください。'],
  [/^Group (\d+) of (\d+): (.+)\.$/, '組 $1／$2：$3'],
  [/^'(.+)' has played no game/, '「$1」はまだ1局も打っていないので、強さはわかりません。'],
  [/^'(.+)' won all (\d+) of its games/, '「$1」は $2 局すべてに勝っているため、レートの上限が決まりません。より強い相手と対局させてください。'],
  [/^'(.+)' lost all (\d+) of its games/, '「$1」は $2 局すべてに負けているため、レートの下限が決まりません。より弱い相手と対局させてください。'],
  [/^The same holds for (\d+) more players/, 'ほかに $1 人も同様です。'],
  [/^The pool has (\d+) levels with no upset/, '対局者が $1 つの階層に分かれ、上の階層の相手から引き分けさえ取れた者がいないため、階層間の差の上限が決まりません。近い強さの対局を増やすか、階層の間に入る対局者を加えてください。'],
  [/^Level (\d+) of (\d+): (.+)\.$/, '階層 $1／$2：$3'],
  [/^The first-move advantage cannot be told/, '先後を入れ替えて対局した組がないため、先手の有利と強さを区別できません。先手の有利は 0 としました。どの開始局面も、先後を替えて2局ずつ行ってください。'],
  [/^The results are too one-sided/, '結果が偏りすぎていて、先手の有利の大きさが決まりません。対局を増やすか、互角の開始局面を使ってください。'],
  [/^'(.+)' is at least (\S+) /, '「$1」は少なくとも $2 です（片側 97.5 %、ほかの対局者のレートは推定値のとおりとした場合）。'],
  [/^'(.+)' is at most (\S+) /, '「$1」は高くても $2 です（片側 97.5 %、ほかの対局者のレートは推定値のとおりとした場合）。'],
  [/^Under this draw model .* rating, '(.+)' least of all/, 'この引き分けモデルでは、一部のレートの範囲が決まりません（とくに「$1」）。引き分けからわかるのは強さが近いことだけで、勝ち負けが足りない組があります。引き分けを半分の勝ちと数える Bradley–Terry モデルなら範囲が決まります。'],
  [/^No game was drawn/, '引き分けがないので引き分けの係数は 0 で、Bradley–Terry モデルと同じです。'],
  [/^The results alone .* added: (\d+) virtual/, '結果だけでは範囲の決まらないレートがあるため、弱い事前分布として、全体の平均の強さを持つ仮の相手との引き分けを各対局者に $1 局ずつ加えました。これに左右されるレートは目安です。'],
  [/^The run is not finished: (\d+) of (\d+) games/, '測定は途中です（$2 局中 $1 局）。--resume で続けられます。'],
  [/^(\d+) of (\d+) games repeat/, '$2 局中 $1 局は、以前の対局と全く同じ手順なので数えていません。開始局面を増やしてください。'],
  [/^(\d+) of (\d+) games are equal/, '$2 局中 $1 局は、以前の対局と全く同じ手順です。着手のばらつきが小さいと、区間が実際より狭く出ます。開始局面を増やしてください。'],
  [/^'(.+)' lost (\d+) of its (\d+) games by failing/, '「$1」は $3 局中 $2 局を異常（異常終了、時間切れ、反則手）で落としました。'],
];

// Names as the program lists them: 'a', 'b' and 'c', or 'a', 'b' and 3 more.
const listed = (part: string): string => (/^'.*('| more)$/.test(part) ? part.replace(/ and (\d+) more$/, ' ほか $1 人').replace(/'(, | and )'/g, '」「').replace(/'/, '「').replace(/'(?= ほか|$)/, '」') : part);

export function said(text: string, sentences = notes): string {
  const line = text.trim();
  const found = settings.value.lang === 'ja' && sentences.find(([english]) => english.test(line));
  return found ? line.match(found[0])!.slice(1).reduce((ja, part, i) => ja.replaceAll(`$${i + 1}`, () => listed(part)), found[1]) : text;
}
