package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The requests of the operator's account in the API server's audit log.
record Audit(List<Request> requests) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> ROLES =
      List.of("pvc-populators-operator", "pvc-populators-operator-volumes");
  private static final Set<String> READS = Set.of("get", "list", "watch");

  /// One request of the operator.
  ///
  /// @param right the right that the request needs, as `GROUP/RESOURCE VERB`
  /// @param forbidden whether RBAC refused the request
  record Request(String right, String verb, String namespace, int code, boolean forbidden) {
    boolean write() {
      return !READS.contains(verb);
    }
  }

  static Audit read(Path log) throws IOException {
    List<Request> requests = new ArrayList<>();
    try (Stream<String> lines = Files.lines(log)) {
      for (String line : (Iterable<String>) lines::iterator) {
        // The last line of the log may be incomplete.
        if (line.contains(OperatorProcess.USER) && line.endsWith("}")) {
          JsonNode entry = JSON.readTree(line);
          JsonNode object = entry.path("objectRef");
          if (!object.isMissingNode()
              && entry.path("user").path("username").asText().equals(OperatorProcess.USER)) {
            requests.add(request(entry, object));
          }
        }
      }
    }
    return new Audit(List.copyOf(requests));
  }

  private static Request request(JsonNode entry, JsonNode object) {
    String subresource = object.path("subresource").asText();
    String resource =
        object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource);
    String verb = entry.path("verb").asText();
    return new Request(
        object.path("apiGroup").asText() + "/" + resource + " " + verb,
        verb,
        object.path("namespace").asText(),
        entry.path("responseStatus").path("code").asInt(),
        entry.path("annotations").path("authorization.k8s.io/decision").asText().equals("forbid"));
  }

  /// Returns the requests for objects of a namespace.
  List<Request> of(String namespace) {
    return requests.stream().filter(request -> request.namespace().equals(namespace)).toList();
  }

  /// Fails the test if there are no requests, or if the operator has read a Secret. Also fails the
  /// test if the operator's roles do not permit a request.
  void assertWithinRole(KubernetesClient client) {
    assertFalse(requests.isEmpty());
    assertEquals(List.of(), requests.stream().filter(Request::forbidden).toList());
    assertEquals(
        List.of(),
        requests.stream()
            .filter(request -> request.right().startsWith("/secrets "))
            .filter(request -> !request.write())
            .toList());
    Set<String> used = new TreeSet<>();
    requests.forEach(request -> used.add(request.right()));
    Set<String> beyond = new TreeSet<>(used);
    beyond.removeAll(rights(client));
    beyond.removeIf(right -> right.startsWith("coordination.k8s.io/leases "));
    // Leader election queries the rights of the operator's account. The role system:basic-user
    // permits this query to every account.
    beyond.remove("authorization.k8s.io/selfsubjectrulesreviews create");
    assertEquals(Set.of(), beyond);
    Set<String> unused = new TreeSet<>(rights(client));
    unused.removeAll(used);
    System.out.println("Rights that were not used so far: " + unused);
  }

  private static Set<String> rights(KubernetesClient client) {
    Set<String> rights = new HashSet<>();
    for (String role : ROLES) {
      for (PolicyRule rule : client.rbac().clusterRoles().withName(role).require().getRules()) {
        for (String group : rule.getApiGroups()) {
          for (String resource : rule.getResources()) {
            rule.getVerbs().forEach(verb -> rights.add(group + "/" + resource + " " + verb));
          }
        }
      }
    }
    return rights;
  }
}
