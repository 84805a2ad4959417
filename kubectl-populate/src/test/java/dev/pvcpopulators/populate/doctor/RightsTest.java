package dev.pvcpopulators.populate.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks that `doctor` examines exactly the rights of the Role in the README.
final class RightsTest {
  @Test
  void theReadmeHasTheSameRights() throws IOException {
    String readme = Files.readString(Path.of("README.md"));
    int start = readme.indexOf("apiVersion: rbac");
    Role role =
        Serialization.unmarshal(readme.substring(start, readme.indexOf("```", start)), Role.class);
    assertEquals(
        role.getRules().stream().flatMap(RightsTest::rights).collect(Collectors.toSet()),
        Set.copyOf(ClusterReader.RIGHTS));
  }

  private static Stream<List<String>> rights(PolicyRule rule) {
    return rule.getResources().stream()
        .map(resource -> resource.split("/", 2))
        .flatMap(resource ->
            rule.getVerbs().stream()
                .map(verb ->
                    List.of(
                        verb,
                        rule.getApiGroups().getFirst(),
                        resource[0],
                        resource.length > 1 ? resource[1] : "")));
  }
}
