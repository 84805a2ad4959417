package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks DynamicVolumes with containers that do not implement the contract between container and
/// operator. Most containers run nginx, which sends various answers. One container runs OpenSSL's
/// server, which never answers. One container runs `sleep`, which does not listen. Each container
/// must cause a condition with the expected reason within the time limit. After the removal of a
/// DynamicVolume, none of the objects that the operator created for it may remain.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class ForeignContainersTest {
  private static final String NAME = "name";
  private static final String OWN_CERTIFICATE =
      "ssl_certificate /etc/pvc-populators/access/tls.crt;"
          + " ssl_certificate_key /etc/pvc-populators/access/tls.key;";

  /// Starts nginx with its files in a directory of the pod's own root file system.
  private static final String START =
      """
      mkdir /server
      cd /server
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \\
        -subj /CN=another.example -keyout other.key -out other.crt 2>/dev/null
      sed "s/ADDRESS/$POD_IP/" /foreign/nginx.conf >nginx.conf
      exec nginx -p /server/ -c /server/nginx.conf -e stderr
      """;

  /// A container, and the condition that the container causes.
  ///
  /// @param expected parts of the condition's message; the message must also contain `request`
  private record Foreign(
      String name,
      List<String> command,
      String server,
      String reason,
      String request,
      List<String> expected) {
    static Foreign nginx(String name, String server, String reason, String... expected) {
      return new Foreign(
          name,
          List.of("sh", "-ec", START),
          server,
          reason,
          "PUT https://ADDRESS:443/volume: ",
          List.of(expected));
    }
  }

  private static Foreign answering(String name, String location, String... expected) {
    return Foreign.nginx(
        name,
        "listen ADDRESS:443 ssl; " + OWN_CERTIFICATE + " location / { " + location + " }",
        "NotTheContract",
        expected);
  }

  private static List<Foreign> foreign() {
    return List.of(
        answering(
            "page",
            "default_type text/html; return 200 '<html>It works</html>';",
            "expected application/yaml",
            "found status 200 with text/html"),
        answering(
            "another-schema",
            "default_type application/yaml; return 200 \"nfs:\\n  server: storage\\n\";",
            "expected either 'pvc' or 'iscsi', found 'nfs'"),
        answering(
            "no-yaml",
            "default_type application/yaml; return 200 \"pvc: [\\n\";",
            "expected application/yaml, found another text"),
        answering(
            "error",
            "return 500;",
            "expected status 200, 201, 202 or a problem (application/problem+json)",
            "found status 500 with text/html"),
        answering(
            "redirect",
            "return 302 https://somewhere.test/volume;",
            "found status 302 with text/html"),
        Foreign.nginx(
            "no-tls",
            "listen ADDRESS:443; location / { return 200 'It works'; }",
            "NotTheContract",
            "expected an answer, found javax.net.ssl.SSLException"),
        Foreign.nginx(
            "another-certificate",
            "listen ADDRESS:443 ssl; ssl_certificate other.crt; ssl_certificate_key other.key;"
                + " location / { return 200 'It works'; }",
            "CertificateRefused",
            "Expected the certificate of this service, CN=",
            "found CN=another.example with SHA-256 "),
        Foreign.nginx(
            "closes",
            "listen ADDRESS:443 ssl; " + OWN_CERTIFICATE + " location / { return 444; }",
            "NoAnswer",
            "expected an answer, found java.io.IOException"),
        new Foreign(
            "begins-only",
            List.of("sh", "-ec", START),
            "listen ADDRESS:443 ssl; "
                + OWN_CERTIFICATE
                + " location = /volume { default_type application/yaml;"
                + " if ($request_method = DELETE) { return 204; } return 202"
                + " \"phase: Transferring\\nbytesIn: 0\\nrevision: r1\\n\"; }"
                + " location / { return 444; }",
            "NoAnswer",
            "GET /volume/status?follow=true: expected ",
            List.of("the awaited status in time, found GET https://ADDRESS:443/volume/status")),
        new Foreign(
            "never-answers",
            List.of(
                "sh",
                "-ec",
                "exec openssl s_server -quiet -accept $POD_IP:443"
                    + " -cert /etc/pvc-populators/access/tls.crt"
                    + " -key /etc/pvc-populators/access/tls.key"),
            "",
            "NoAnswer",
            "PUT https://ADDRESS:443/volume: ",
            List.of("expected an answer within PT10S, found none")),
        new Foreign(
            "does-not-listen",
            List.of("sleep", "infinity"),
            "",
            "NoAnswer",
            "PUT https://ADDRESS:443/volume: ",
            List.of("expected an answer, found java.net.ConnectException")));
  }

  /// Returns the configuration of nginx. [#START] replaces `ADDRESS` by the pod's address.
  private static String configuration(String server) {
    return """
    daemon off;
    master_process off;
    pid pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      client_body_temp_path body;
      proxy_temp_path proxy;
      fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi;
      scgi_temp_path scgi;
      server { %s }
    }
    """
        .formatted(server);
  }

  @Test
  void eachLeadsToItsReason(Cluster cluster) throws InterruptedException {
    Tenant tenant = Tenant.in(cluster, "foreign-containers");
    Map<Foreign, Dynamic> created = new LinkedHashMap<>();
    for (Foreign one : foreign()) {
      created.put(one, create(tenant, one));
    }
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<Foreign, Dynamic> one : created.entrySet()) {
      try {
        assertFails(one.getKey(), one.getValue());
      } catch (AssertionError e) {
        wrong.add(one.getKey().name() + ": " + e.getMessage());
      }
    }
    created.values().forEach(Dynamic::delete);
    for (Dynamic one : created.values()) {
      one.awaitGone();
    }
    Waiting.untilTrue(
        "the end of all ReplicaSets",
        () ->
            tenant
                .client()
                .apps()
                .replicaSets()
                .inNamespace(tenant.namespace())
                .list()
                .getItems()
                .isEmpty());
    assertEquals(List.of(), wrong);
    assertTrue(tenant.claims().isEmpty());
  }

  private static Dynamic create(Tenant tenant, Foreign foreign) {
    tenant
        .client()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName(foreign.name())
                .endMetadata()
                .withData(Map.of("nginx.conf", configuration(foreign.server())))
                .build())
        .create();
    return Dynamic.create(
        tenant,
        foreign.name(),
        Map.of(
            "container",
            Map.of(
                "image",
                "registry.test/foreign:1",
                "command",
                foreign.command(),
                "volumeMounts",
                List.of(Map.of(NAME, "foreign", "mountPath", "/foreign"))),
            "pod",
            Map.of(
                "spec",
                Map.of(
                    "volumes",
                    List.of(Map.of(NAME, "foreign", "configMap", Map.of(NAME, foreign.name()))))),
            "publish",
            Map.of("claimName", foreign.name())));
  }

  /// Waits until the DynamicVolume has the phase `Failed`, for the expected reason. Until the
  /// container listens, which can take long on a slow machine, the reason may be `NoAnswer`.
  private static void assertFails(Foreign foreign, Dynamic volume) throws InterruptedException {
    volume.awaitPhase("Failed");
    String address = volume.pods().getFirst().getStatus().getPodIP();
    List<String> parts =
        Stream.concat(Stream.of(foreign.request()), foreign.expected().stream())
            .map(part -> part.replace("ADDRESS", address))
            .toList();
    try {
      Waiting.untilTrue(
          "the reason " + foreign.reason(), () -> fails(volume.status(), foreign.reason(), parts));
    } catch (AssertionError e) {
      throw new AssertionError(volume.status().toString(), e);
    }
    assertTrue(volume.volumes().isEmpty(), "PersistentVolumes were created");
  }

  private static boolean fails(JsonNode status, String reason, List<String> parts) {
    JsonNode ready = condition(status, "Ready");
    String message = ready.path("message").asText();
    String found = ready.path("reason").asText();
    boolean failed = status.path("phase").asText().equals("Failed");
    assertTrue(!failed || found.equals(reason) || found.equals("NoAnswer"), found);
    return parts.stream().allMatch(message::contains)
        && failed
        && status.path("source").isMissingNode()
        && ready.path("status").asText().equals("False")
        && found.equals(reason);
  }

  private static JsonNode condition(JsonNode status, String type) {
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    throw new AssertionError("No condition " + type + ": " + status);
  }
}
