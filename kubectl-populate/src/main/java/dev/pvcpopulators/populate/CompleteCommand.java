package dev.pvcpopulators.populate;

import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `kubectl-populate complete -- WORD...`: prints the candidates for the last word, one per line,
/// and then a directive, as kubectl expects from `kubectl_complete-populate`.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(name = "complete", hidden = true, description = "Prints candidates for the last word.")
final class CompleteCommand implements Runnable {
  /// The directive that lets the shell complete file names if there are no candidates. The
  /// directives are defined by cobra, the library that kubectl uses for its command line.
  private static final String FILES = ":0";

  /// The directive that prevents the completion of file names.
  private static final String NO_FILES = ":4";

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*")
  private List<String> words = List.of();

  @Override
  public void run() {
    List<String> all = words.isEmpty() ? List.of("") : words;
    String last = all.getLast();
    List<String> candidates = candidates(spec.root(), all);
    candidates.forEach(System.out::println);
    boolean file = all.size() > 1 && all.getFirst().equals("upload") && !last.startsWith("-");
    System.out.println(file ? FILES : NO_FILES);
  }

  /// Returns the sorted candidates for the last word. Omits hidden commands.
  ///
  /// @param words the words of the command line, at least one; the last word may be empty
  static List<String> candidates(CommandSpec root, List<String> words) {
    String last = words.getLast();
    List<CharSequence> rests = new ArrayList<>();
    int before = words.stream().mapToInt(String::length).sum() - last.length() + words.size() - 1;
    AutoComplete.complete(
        root,
        words.toArray(String[]::new),
        words.size() - 1,
        last.length(),
        before + last.length(),
        rests);
    return rests.stream()
        .map(rest -> last + rest)
        .filter(candidate -> !hidden(root, candidate))
        .distinct()
        .sorted()
        .toList();
  }

  private static boolean hidden(CommandSpec root, String name) {
    CommandLine command = root.subcommands().get(name);
    return command != null && command.getCommandSpec().usageMessage().hidden();
  }
}
