package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

class MachineTest {
  /// A text that tries to inject code into the generated files. The tests use this text as the
  /// image name, as an argument and as the value of an environment variable.
  private static final String HOSTILE =
      "x'; touch pwned; '\"$(touch pwned)`touch pwned`\n: &<b>--></description>@NAME@ %1$s ${y} #é";

  private static final GuestProcess PROCESS =
      GuestProcesses.of(1000, List.of("PATH=/bin", "A=" + HOSTILE), "/w", "app", HOSTILE);

  @TempDir Path directory;

  private static Machine machine(boolean dataVolume) {
    return new Machine(
        "web-1",
        "some-claim",
        HOSTILE,
        "sha256:12",
        List.of("base.qcow2", "top.qcow2"),
        10L << 30,
        PROCESS,
        List.of(
            "80/tcp", "53/udp", "8443", "80/tcp", "$(touch pwned)/tcp", "0/tcp", "65536", "9/sctp"),
        Optional.of("6.1.0"),
        dataVolume);
  }

  @Test
  void describesItselfToPrograms() throws Exception {
    JsonNode json = new ObjectMapper().readTree(VmJson.of(machine(true)));
    assertEquals("web-1", json.path("name").asText());
    assertEquals(HOSTILE, json.path("image").asText());
    assertEquals(10L << 30, json.path("disk").path("virtualSize").asLong());
    assertEquals("top.qcow2", json.path("disk").path("layers").path(1).asText());
    assertEquals("data.qcow2", json.path("data").path("file").asText());
    assertEquals(HOSTILE, json.path("process").path("arguments").path(1).asText());
    assertEquals(1000, json.path("process").path("uid").asInt());
    assertEquals(
        "console=ttyS0 quiet panic=-1 pvcp.data", json.path("kernel").path("commandLine").asText());
    assertTrue(new ObjectMapper().readTree(VmJson.of(machine(false))).path("data").isMissingNode());
  }

  @Test
  void theDomainIsWhatWasMeant() throws Exception {
    String xml = LibvirtDomain.of(machine(true)).replace("@DIRECTORY@", "/images/web");
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    Document document =
        factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml.getBytes(UTF_8)));
    assertEquals("web-1", at(document, "/domain/name"));
    assertTrue(at(document, "/domain/description").contains("</description>@NAME@"), xml);
    assertEquals("/images/web/vmlinuz", at(document, "/domain/os/kernel"));
    assertEquals("console=ttyS0 quiet panic=-1 pvcp.data", at(document, "/domain/os/cmdline"));
    assertEquals("/images/web/disk.qcow2", at(document, "//disk[target/@dev='vda']/source/@file"));
    assertEquals("/images/web/data.qcow2", at(document, "//disk[target/@dev='vdb']/source/@file"));
    assertEquals("1", at(document, "count(//description)"));
    assertFalse(LibvirtDomain.of(machine(false)).contains("vdb"));
  }

  private static String at(Document document, String path) throws Exception {
    XPath xpath = XPathFactory.newInstance().newXPath();
    return xpath.evaluate(path, document);
  }

  @Test
  void theVirtualMachineIsWhatWasMeant() throws Exception {
    JsonNode yaml = new ObjectMapper(new YAMLFactory()).readTree(KubeVirtMachine.of(machine(true)));
    assertEquals("web-1", yaml.path("metadata").path("name").asText());
    JsonNode spec = yaml.path("spec").path("template").path("spec");
    JsonNode domain = spec.path("domain");
    JsonNode boot = domain.path("firmware").path("kernelBoot");
    assertEquals("web-1-kernel:latest", boot.path("container").path("image").asText());
    assertEquals("/boot/initrd", boot.path("container").path("initrdPath").asText());
    assertEquals("console=ttyS0 quiet panic=-1 pvcp.data", boot.path("kernelArgs").asText());
    JsonNode disks = domain.path("devices").path("disks");
    assertEquals("virtio", disks.path(1).path("disk").path("bus").asText());
    JsonNode network = domain.path("devices").path("interfaces").path(0);
    assertTrue(network.path("masquerade").isObject());
    assertEquals(
        "[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":53,\"protocol\":\"UDP\"},"
            + "{\"port\":8443,\"protocol\":\"TCP\"}]",
        network.path("ports").toString());
    for (int i = 0; i < 2; i++) {
      assertEquals(
          disks.path(i).path("name").asText(), spec.path("volumes").path(i).path("name").asText());
    }
    assertEquals(
        "some-claim-data",
        spec.path("volumes").path(1).path("persistentVolumeClaim").path("claimName").asText());
    assertTrue(spec.path("terminationGracePeriodSeconds").asInt() > 10);
    JsonNode one = new ObjectMapper(new YAMLFactory()).readTree(KubeVirtMachine.of(machine(false)));
    assertEquals(1, one.at("/spec/template/spec/volumes").size());
    assertEquals(1, one.at("/spec/template/spec/domain/devices/disks").size());
  }

  @Test
  void theKernelsImageHasKernelAndInitrd() {
    assertTrue(
        machine(false)
            .kernelContainerfile()
            .endsWith("\nFROM scratch\nCOPY vmlinuz initrd /boot/\n"));
  }

  @Test
  @Tag("tools")
  void theScriptRunsFromAnyDirectoryAndQuotesEverything() throws Exception {
    Path place = Files.createDirectories(directory.resolve("a b,c'd"));
    Path script = Files.writeString(place.resolve("run.sh"), machine(true).qemuScript());
    // This script replaces QEMU. The script prints its arguments and its working directory, and
    // writes 202 as the guest's exit code.
    Path qemu =
        Files.writeString(
            directory.resolve("qemu"),
            """
            #!/bin/sh
            for word; do
              echo "<$word>"
              case $word in
                file,id=exit,path=*)
                  path=$(printf %s "${word#*path=}" | sed 's/,,/,/g')
                  printf '\\312' >"$path" ;;
              esac
            done
            pwd
            """);
    assertTrue(qemu.toFile().setExecutable(true));
    Path temporary = Files.createDirectories(directory.resolve("t,mp x"));
    Command.Ran ran =
        Command.of(
                "env",
                "-C",
                "/",
                "TMPDIR=" + temporary,
                "QEMU=" + qemu,
                "ACCELERATOR=tcg",
                "PORT_80=8080",
                "PORT_53_UDP=5353",
                "PORT_8443=",
                "CDPATH=/usr",
                "sh",
                script.toString(),
                "-snapshot",
                "a b")
            .tried();
    assertEquals(202, ran.status(), ran::toString);
    assertTrue(
        ran.output()
            .contains(
                "<user,id=network,hostfwd=tcp:127.0.0.1:8080-:80,hostfwd=udp:127.0.0.1:5353-:53>"),
        ran::toString);
    assertTrue(ran.output().contains("<file=data.qcow2,format=qcow2,if=none,id=data>"));
    assertTrue(ran.output().contains("<-snapshot>\n<a b>\n"), ran::toString);
    assertTrue(ran.output().contains("<console=ttyS0 quiet panic=-1 pvcp.data pvcp.raw>"));
    assertTrue(ran.out().endsWith("\n" + place.toRealPath() + "\n"), ran::toString);
    assertEquals(List.of(), list(temporary));
    assertEquals(List.of("run.sh"), list(place));
    assertTrue(Files.notExists(Path.of("/pwned")));
  }

  private static List<String> list(Path directory) throws Exception {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }

  @Test
  @Tag("tools")
  void theScriptListsItsVariablesAndMissingPrograms() throws Exception {
    Path script = Files.writeString(directory.resolve("run.sh"), machine(false).qemuScript());
    String help = Command.run("sh", script.toString(), "--help");
    assertTrue(help.contains("80/tcp 53/udp 8443/tcp"), help);
    Command.Ran ran = Command.of("env", "QEMU=/no/qemu", "sh", script.toString()).tried();
    assertEquals(125, ran.status());
    assertTrue(ran.output().contains("/no/qemu is not installed"), ran::toString);
    ran = Command.of("env", "QEMU=true", "ACCELERATOR=x", "sh", script.toString()).tried();
    assertEquals(125, ran.status());
    assertTrue(ran.output().contains("ended without an exit code"), ran::toString);
    ran =
        Command.of("env", "QEMU=true", "ACCELERATOR=x", "PORT_80=80,x", "sh", script.toString())
            .tried();
    assertEquals(125, ran.status());
    assertTrue(ran.output().contains("PORT_80: expected a port, found 80,x"), ran::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "A", "-a", "a-", "a\nb", "a.b"})
  void hasANameThatFitsEverywhere(String name) {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new Machine(
                name, "claim", "", "", List.of(), 0, PROCESS, List.of(), Optional.empty(), false));
  }

  @Test
  void forwardsABoundedNumberOfPorts() {
    List<String> ports = IntStream.rangeClosed(1, 10_000).mapToObj(Integer::toString).toList();
    Machine machine =
        new Machine("m", "claim", "", "", List.of(), 0, PROCESS, ports, Optional.empty(), false);
    assertEquals(Machine.PORTS, machine.reachablePorts().size());
  }
}
