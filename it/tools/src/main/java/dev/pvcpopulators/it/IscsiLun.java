package dev.pvcpopulators.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A logical unit of a target, as an initiator with a name, and perhaps a secret, sees it.
///
/// @param target iSCSI name
/// @param user CHAP name; empty for none
public record IscsiLun(
    String host, int port, String target, int lun, String initiator, String user, String secret) {
  /// The initiator of most tests.
  public static final String INITIATOR = "iqn.2026-11.dev.pvcpopulators:first";

  /// The one that a service has answered `PUT /volume` with, in JSON.
  public static IscsiLun of(Answer answer) {
    JsonNode iscsi = answer.json().path("iscsi");
    return new IscsiLun(
        iscsi.path("host").path("name").asText(),
        Integer.parseInt(iscsi.path("host").path("port").asText()),
        iscsi.path("portal").asText(),
        iscsi.path("lun").asInt(),
        INITIATOR,
        "",
        "");
  }

  public IscsiLun lun(int other) {
    return new IscsiLun(host, port, target, other, initiator, user, secret);
  }

  public IscsiLun as(String otherInitiator) {
    return new IscsiLun(host, port, target, lun, otherInitiator, user, secret);
  }

  public IscsiLun chap(String otherUser, String otherSecret) {
    return new IscsiLun(host, port, target, lun, initiator, otherUser, otherSecret);
  }

  /// For programs that take nothing else; they have an option for the initiator's name.
  public String url() {
    String login = user.isEmpty() ? "" : user + "%" + secret + "@";
    return "iscsi://" + login + host + ":" + port + "/" + target + "/" + lun;
  }

  /// For QEMU and its tools: what `--image-opts` takes.
  public String options() {
    String login = user.isEmpty() ? "" : ",user=" + user + ",password-secret=chap";
    return "driver=iscsi,transport=tcp,portal="
        + host
        + ":"
        + port
        + ",target="
        + target
        + ",lun="
        + lun
        + ",initiator-name="
        + initiator
        + login;
  }

  /// What must come before [#options] on a command line of QEMU's tools.
  public List<String> objects() {
    return user.isEmpty() ? List.of() : List.of("--object", "secret,id=chap,data=" + secret);
  }

  /// What iscsi-inq says; it may fail.
  public Command.Ran inquiry() throws IOException {
    return Command.tried(List.of("iscsi-inq", "-i", initiator, url()));
  }

  /// What iscsi-ls says of all targets and their logical units; it may fail.
  public Command.Ran list() throws IOException {
    String login = user.isEmpty() ? "" : user + "%" + secret + "@";
    return Command.tried(
        List.of("iscsi-ls", "-s", "-i", initiator, "iscsi://" + login + host + ":" + port));
  }

  /// Runs commands of qemu-io in one session; they may fail.
  public Command.Ran io(String... commands) throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-io"));
    line.addAll(objects());
    for (String command : commands) {
      line.add("-c");
      line.add(command);
    }
    line.addAll(List.of("--image-opts", options()));
    return Command.tried(line);
  }

  /// What `qemu-img info` says.
  public String info() throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-img", "info"));
    line.addAll(objects());
    line.addAll(List.of("--image-opts", options()));
    return Command.tried(line).ok().out();
  }

  /// Fails the test where it holds another disk than an image.
  public void assertHas(Path image, String format) throws IOException {
    assertHas("driver=" + format + ",file.driver=file,file.filename=" + image);
  }

  private void assertHas(String otherOptions) throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-img", "compare", "-q"));
    line.addAll(objects());
    line.addAll(List.of("--image-opts", options(), otherOptions));
    Command.tried(line).ok();
  }

  /// Copies the whole disk into a raw file.
  public void convert(Path raw) throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-img", "convert"));
    line.addAll(objects());
    line.addAll(List.of("--image-opts", options(), "-O", "raw", raw.toString()));
    Command.tried(line).ok();
  }
}
