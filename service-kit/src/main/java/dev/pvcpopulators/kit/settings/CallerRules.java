package dev.pvcpopulators.kit.settings;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The audiences and the owners of the tokens that a service with `auth=tokenreview` accepts.
///
/// With a token from a client, a service could call other services that accept the same token. So
/// by default the audience of a token names one claim, and the owner of a token is a ServiceAccount
/// in the claim's namespace.
///
/// @param audiences a token must have at least one of them; never empty
/// @param users the user name of a token's owner must match at least one of them; never empty
public record CallerRules(List<String> audiences, List<String> users) {
  private static final String AUDIENCE = "pvc-populators/";
  private static final String ACCOUNTS = "system:serviceaccount:";

  /// The suffix of a rule in `users` that permits several user names. Such a rule permits every
  /// longer name that begins with the text before the `*`.
  private static final String ALL = ":*";

  private static final int MAX_LABEL = 63;
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");

  public CallerRules {
    audiences = List.copyOf(audiences);
    users = List.copyOf(users);
  }

  /// Returns the rules. A list that is not configured is derived: the audiences from the claim's
  /// namespace and name, the users from the claim's namespace. Returns empty if a list is not
  /// configured, and a setting from which the list is derived is missing.
  public static Optional<CallerRules> of(PopulatorSettings settings) {
    Optional<List<String>> audiences =
        settings
            .tokenreview()
            .audiences()
            .or(() ->
                settings
                    .namespace()
                    .flatMap(namespace ->
                        settings
                            .claimName()
                            .map(claim -> List.of(AUDIENCE + namespace + "/" + claim))));
    Optional<List<String>> users =
        settings
            .tokenreview()
            .users()
            .or(() -> settings.namespace().map(namespace -> List.of(ACCOUNTS + namespace + ALL)));
    return audiences.flatMap(whom -> users.map(whose -> new CallerRules(whom, whose)));
  }

  /// Returns whether a user may call the service.
  public boolean admits(String user) {
    return users.stream().anyMatch(rule -> fits(rule, user));
  }

  private static boolean fits(String rule, String user) {
    if (!rule.endsWith(ALL)) {
      return rule.equals(user);
    }
    String prefix = rule.substring(0, rule.length() - 1);
    return user.startsWith(prefix) && user.length() > prefix.length();
  }

  /// Reports missing settings, and an invalid namespace.
  static void check(PopulatorSettings settings, Mistakes found) {
    settings
        .namespace()
        .filter(name -> name.length() > MAX_LABEL || !LABEL.matcher(name).matches())
        .ifPresent(_ ->
            found.wrong(
                "POPULATOR_NAMESPACE", "the name of a namespace (a-z, 0-9, -; at most 63)"));
    PopulatorSettings.TokenReview review = settings.tokenreview();
    boolean derived = review.audiences().isEmpty() || review.users().isEmpty();
    if (derived && settings.namespace().isEmpty()) {
      found.missing(
          "POPULATOR_NAMESPACE",
          "the claim's namespace, whose ServiceAccounts may call; or both"
              + " POPULATOR_TOKENREVIEW_AUDIENCES and POPULATOR_TOKENREVIEW_USERS");
    }
    if (review.audiences().isEmpty() && settings.claimName().isEmpty()) {
      found.missing(
          "POPULATOR_CLAIM_NAME",
          "the claim's name, from which the audience of callers' tokens follows; or"
              + " POPULATOR_TOKENREVIEW_AUDIENCES");
    }
  }
}
