package dev.pvcpopulators.it.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The seccomp profile `RuntimeDefault`: the system calls that container engines permit by default.
/// The profile is a file of a Debian package.
final class Seccomp {
  private static final Path PROFILE = Path.of("/usr/share/containers/seccomp.json");
  private static final String ARCHITECTURE = "amd64";

  /// The fields of a rule that runc reads. The conditions of a rule are in two other fields,
  /// `includes` and `excludes`.
  private static final List<String> MEMBERS = List.of("names", "action", "args", "errnoRet");

  private Seccomp() {}

  /// Returns the rules for the system calls of a process without capabilities, as the object
  /// `seccomp` of the runtime specification (OCI runtime-spec 1.0, config-linux.md, "Seccomp").
  static ObjectNode withoutCapabilities() throws IOException {
    if (Files.notExists(PROFILE)) {
      throw new AssertionError(PROFILE + " is missing: run .ci/install-test-tools");
    }
    JsonNode profile = Json.file(PROFILE);
    ObjectNode seccomp = JsonNodeFactory.instance.objectNode();
    seccomp.set("defaultAction", profile.path("defaultAction"));
    seccomp.set("defaultErrnoRet", profile.path("defaultErrnoRet"));
    seccomp
        .putArray("architectures")
        .add("SCMP_ARCH_X86_64")
        .add("SCMP_ARCH_X86")
        .add("SCMP_ARCH_X32");
    ArrayNode rules = seccomp.putArray("syscalls");
    for (JsonNode rule : profile.path("syscalls")) {
      if (holds(rule)) {
        ObjectNode taken = rules.addObject();
        for (String member : MEMBERS) {
          JsonNode value = rule.path(member);
          if (!value.isMissingNode() && !value.isNull()) {
            taken.set(member, value);
          }
        }
      }
    }
    return seccomp;
  }

  private static boolean holds(JsonNode rule) {
    JsonNode architectures = rule.path("includes").path("arches");
    boolean here = architectures.isMissingNode();
    for (JsonNode architecture : architectures) {
      here |= architecture.asText().equals(ARCHITECTURE);
    }
    return here && rule.path("includes").path("caps").isMissingNode();
  }
}
